package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ofRecordings lists further values that recordings replace by a constant, since they differ on every server: the ports
// of webhooks, and generated names.
var ofRecordings = []steady.Word{
	{Hint: "gen-name-", Pattern: regexp.MustCompile(`gen-name-[a-z0-9]{5}\b`), With: "gen-name-xxxxx"},
	{Hint: "127.0.0.1:", Pattern: regexp.MustCompile(`127\.0\.0\.1:(\d+|port)`), With: "127.0.0.1:port"},
}

// Normalize rewrites a value in place, and returns it. It is applied to admsim's answers, and once more to the recorded
// ones, so that both have the same form.
func Normalize(v any) any { return steady.Value(v, ofRecordings...) }

var transportText = regexp.MustCompile(`(failed to call webhook: ).*`)

// dropTransport removes the transport's error messages about webhooks that can never be reached. These texts are not
// compared.
func dropTransport(r *Recording, v any) any {
	var unreachable []string
	for name, answers := range r.Webhooks {
		reached := slices.ContainsFunc(answers, func(a json.RawMessage) bool {
			return !slices.Contains([]dispatch.Fault{dispatch.Refuse, dispatch.BadCA, dispatch.Close}, faultOf(a))
		})
		if len(answers) > 0 && !reached {
			_, webhook, _ := strings.Cut(name, "/")
			unreachable = append(unreachable, `"`+webhook+`"`)
		}
	}
	return mapTexts(v, func(text string) string {
		for _, name := range unreachable {
			if strings.Contains(text, "failed calling webhook "+name) {
				return transportText.ReplaceAllString(text, "$1")
			}
		}
		return text
	})
}

// differenceLine is the start of a line of a difference that go-cmp made in a process that has drawn non-breaking
// spaces. The first line may follow other words.
var differenceLine = regexp.MustCompile(`(?m)(?:^|: )[-+` + nonBreaking + `]` + nonBreaking)

const nonBreaking = "\u00a0"

// usualSpaces returns an answer as it would be if the server had drawn usual spaces for the differences in messages, as
// admsim does, in the releases in which go-cmp makes them (ER-07).
func usualSpaces(r *Recording, v any) any {
	release, err := r.release()
	if err != nil || !release.Has(kubeversion.DifferencesByGoCmp) || release.Has(kubeversion.ValuesAsJSON) {
		return v
	}
	return mapTexts(v, func(text string) string {
		if !strings.Contains(text, nonBreaking) {
			return text
		}
		return differenceLine.ReplaceAllStringFunc(text, func(start string) string { return strings.ReplaceAll(start, nonBreaking, " ") })
	})
}

// mapTexts applies f to every string of a value.
func mapTexts(v any, f func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = mapTexts(v[k], f)
		}
	case []any:
		for i := range v {
			v[i] = mapTexts(v[i], f)
		}
	case string:
		return f(v)
	}
	return v
}
