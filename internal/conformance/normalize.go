package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/dispatch"
)

// ofRecordings are what the recordings write as one value beside that which differs with
// every server: the ports of their webhooks, and the names that they have generated.
var ofRecordings = []steady.Word{
	{Hint: "gen-name-", Pattern: regexp.MustCompile(`gen-name-[a-z0-9]{5}\b`), With: "gen-name-xxxxx"},
	{Hint: "127.0.0.1:", Pattern: regexp.MustCompile(`127\.0\.0\.1:(\d+|port)`), With: "127.0.0.1:port"},
}

// Normalize rewrites a value in place, and returns it. It is done to admsim's answers, and to
// the recorded ones once more, so that both are in one form.
func Normalize(v any) any { return steady.Value(v, ofRecordings...) }

var transportText = regexp.MustCompile(`(failed to call webhook: ).*`)

// dropTransport cuts what the transport said of webhooks that can never be reached: these
// texts are not compared.
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
