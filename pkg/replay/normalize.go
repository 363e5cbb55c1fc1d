package replay

import (
	"regexp"
	"slices"
	"strings"
)

// What differs from one run of a server to the next is written as one value on both sides.
// That it is there is still compared. The list is in docs/replay.md, and nothing else is
// forgiven.
const (
	oneUID  = "00000000-0000-0000-0000-000000000001"
	oneTime = "2026-01-01T00:00:00Z"
)

var timeFields = []string{"creationTimestamp", "deletionTimestamp", "lastUpdateTime", "lastTransitionTime", "expirationTimestamp", "lastPhaseTransitionTime"}

// A word is what a pattern stands for in texts. Only texts that hold hint are searched.
type word struct {
	hint    string
	pattern *regexp.Regexp
	with    string
}

var words = []word{
	{"-", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), oneUID},
	{"kube-api-access-", regexp.MustCompile(`kube-api-access-[a-z0-9]{5}\b`), "kube-api-access-xxxxx"},
	{"stream ID ", regexp.MustCompile(`stream ID \d+;`), "stream ID 1;"},
	{"eyJ", regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "token"},
	// What a decoder says of Go types is not compared, up to the end of the sentence.
	{"Go value of type ", regexp.MustCompile(`Go value of type [^\n]*`), "Go value of type"},
	{"in scheme ", regexp.MustCompile(`in scheme "[^"]*"`), "in scheme"},
}

// normalize rewrites a JSON value in place, and returns it.
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
		return normalizeText(v)
	}
	return v
}

func normalizeText(text string) string {
	for _, w := range words {
		if strings.Contains(text, w.hint) {
			text = w.pattern.ReplaceAllString(text, w.with)
		}
	}
	return text
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
