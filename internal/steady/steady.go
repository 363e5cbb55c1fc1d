// Package steady replaces values that differ between runs of a server by fixed values, so that two answers can be
// compared. Whether such a field exists is still compared.
//
// It compares nothing itself. The documents of its users describe which differences are ignored: those here, plus any
// further words that they pass.
package steady

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// UID replaces every UID.
const UID = "00000000-0000-0000-0000-000000000001"

const oneTime = "2026-01-01T00:00:00Z"

var timeFields = []string{"creationTimestamp", "deletionTimestamp", "lastUpdateTime", "lastTransitionTime", "expirationTimestamp", "lastPhaseTransitionTime"}

// A Word is a pattern to replace in texts. Only texts that contain Hint are searched.
type Word struct {
	Hint    string
	Pattern *regexp.Regexp
	With    string
}

var words = []Word{
	{"-", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), UID},
	{"kube-api-access-", regexp.MustCompile(`kube-api-access-[a-z0-9]{5}\b`), "kube-api-access-xxxxx"},
	{"stream ID ", regexp.MustCompile(`stream ID \d+;`), "stream ID 1;"},
	{"not decodable revision=", regexp.MustCompile(`not decodable revision=\d+`), "not decodable revision=1"},
	{"eyJ", regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "token"},
	// The Go types in a decoder's messages are not compared, up to the end of the sentence.
	{"Go value of type ", regexp.MustCompile(`Go value of type [^\n]*`), "Go value of type"},
	{"in scheme ", regexp.MustCompile(`in scheme "[^"]*"`), "in scheme"},
}

// Moments returns the word for timestamps of a run that began at a time and lasts no longer than a day. Recorders write
// all of them as the time of admsim's own clock.
func Moments(began time.Time) Word {
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	days := day(began) + "|" + day(began.AddDate(0, 0, 1))
	return Word{"T", regexp.MustCompile(`\b(?:` + days + `)T\d\d:\d\d:\d\dZ`), oneTime}
}

// Value rewrites a JSON value in place, and returns it.
func Value(v any, further ...Word) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "managedFields")
		for k, member := range v {
			v[k] = named(k, member, further)
		}
		sortCauses(v)
		return v
	case []any:
		for i := range v {
			v[i] = Value(v[i], further...)
		}
		return v
	case string:
		return Text(v, further...)
	}
	return v
}

// Text replaces the words in a text, the further ones last.
func Text(text string, further ...Word) string {
	for _, list := range [][]Word{words, further} {
		for _, w := range list {
			if strings.Contains(text, w.Hint) {
				text = w.Pattern.ReplaceAllString(text, w.With)
			}
		}
	}
	return text
}

// Parts returns the items of a list, as JSON unless they are strings, or the items that a text lists: as JSON, or
// separated by commas, with or without brackets.
func Parts(v any) (parts []string) {
	var items []json.RawMessage
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok {
				parts = append(parts, text)
			} else if text, err := json.Marshal(item); err == nil {
				parts = append(parts, string(text))
			}
		}
	case string:
		if json.Unmarshal([]byte(v), &items) != nil {
			if inside, ok := strings.CutPrefix(v, "["); ok && strings.HasSuffix(inside, "]") {
				v = inside[:len(inside)-1]
			}
			return strings.Split(v, ", ")
		}
		for _, item := range items {
			parts = append(parts, string(item))
		}
	}
	return parts
}

// InErrors names a place in an answer: the errors in its message, which lists several in brackets. Of each, it has the
// text up to the first comma.
const InErrors = "the message"

// Listed returns the parts of the list in brackets at the end of a message.
func Listed(message string) []string {
	_, list, _ := strings.Cut(message, ": [")
	return Parts("[" + list)
}

// named returns the value for a field of that name.
func named(name string, v any, further []Word) any {
	if text, ok := v.(string); ok && text != "" && Varies(name) {
		switch name {
		case "uid":
			return UID
		case "resourceVersion":
			return "1"
		}
		return oneTime
	}
	return Value(v, further...)
}

// Varies reports whether a text field of that name differs between runs.
func Varies(name string) bool {
	return name == "uid" || name == "resourceVersion" || slices.Contains(timeFields, name)
}

// sortCauses sorts the causes of a Status that has several, and the same errors in its message: the server finds them
// in map order.
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
	// Only a message that consists of exactly these errors, in whatever order, is sorted.
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
