package conformance

import (
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/dispatch"
)

// The recordings write one value for everything that differs from run to run. Here the
// same is done to admsim's answers, and to the recorded ones once more, so that both are
// in one form. That a field is there is still compared.
const (
	oneUID  = "00000000-0000-0000-0000-000000000001"
	oneTime = "2026-01-01T00:00:00Z"
)

var (
	timeFields = []string{"creationTimestamp", "deletionTimestamp", "lastUpdateTime", "lastTransitionTime", "expirationTimestamp", "lastPhaseTransitionTime"}

	inTexts = []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), oneUID},
		{regexp.MustCompile(`kube-api-access-[a-z0-9]{5}\b`), "kube-api-access-xxxxx"},
		{regexp.MustCompile(`gen-name-[a-z0-9]{5}\b`), "gen-name-xxxxx"},
		{regexp.MustCompile(`127\.0\.0\.1:(\d+|port)`), "127.0.0.1:port"},
		{regexp.MustCompile(`stream ID \d+;`), "stream ID 1;"},
		{regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "token"},
		// What a decoder says of Go types is not compared, up to the end of the sentence.
		{regexp.MustCompile(`Go value of type [^\n]*`), "Go value of type"},
		{regexp.MustCompile(`in scheme "[^"]*"`), "in scheme"},
	}
)

// normalize rewrites a value in place, and returns it.
func normalize(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "managedFields")
		for k, member := range v {
			v[k] = normalizeMember(k, member)
		}
		sortCauses(v)
		return v
	case []any:
		for i := range v {
			v[i] = normalize(v[i])
		}
		return v
	case string:
		for _, r := range inTexts {
			v = r.pattern.ReplaceAllString(v, r.with)
		}
		return v
	}
	return v
}

func normalizeMember(name string, v any) any {
	text, ok := v.(string)
	switch {
	case !ok || text == "":
	case name == "uid":
		return oneUID
	case name == "resourceVersion":
		return "1"
	case slices.Contains(timeFields, name):
		return oneTime
	}
	return normalize(v)
}

// sortCauses orders the causes of a Status that has several, and the same errors in its
// message: the server finds them in the order of a map.
func sortCauses(status map[string]any) {
	details, _ := status["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	message, _ := status["message"].(string)
	if status["kind"] != "Status" || len(causes) < 2 {
		return
	}
	var texts []string
	for _, c := range causes {
		texts = append(texts, causeText(c))
	}
	slices.SortFunc(causes, func(a, b any) int { return strings.Compare(causeText(a), causeText(b)) })
	before, errors, found := strings.Cut(message, " is invalid: [")
	if !found || !strings.HasSuffix(errors, "]") {
		return
	}
	// Only what is made of exactly these errors, in whatever order, is put in order.
	rest := errors[:len(errors)-1]
	longestFirst := slices.Clone(texts)
	slices.SortFunc(longestFirst, func(a, b string) int { return len(b) - len(a) })
	for _, t := range longestFirst {
		rest = strings.Replace(rest, t, "", 1)
	}
	if strings.Trim(rest, ", ") != "" {
		return
	}
	slices.Sort(texts)
	status["message"] = before + " is invalid: [" + strings.Join(texts, ", ") + "]"
}

func causeText(cause any) string {
	c, _ := cause.(map[string]any)
	field, _ := c["field"].(string)
	message, _ := c["message"].(string)
	return field + ": " + message
}

var transportText = regexp.MustCompile(`(failed to call webhook: ).*`)

// dropTransport cuts what the transport said of a webhook that cannot be reached, where
// one of the recording's webhooks is such: these texts are not compared.
func dropTransport(r *Recording, v any) any {
	var unreachable []string
	for name, answers := range r.Webhooks {
		for _, a := range answers {
			switch faultOf(a) {
			case dispatch.Refuse, dispatch.BadCA, dispatch.Close:
				_, webhook, _ := strings.Cut(name, "/")
				unreachable = append(unreachable, `"`+webhook+`"`)
			}
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
