package conformance

import (
	"encoding/json"
	"strings"
)

// seenIn is what the recorded server said, place by place, for a request that follows it where the server might
// have done one thing or another. What is followed is compared afterwards, as a whole.
func seenIn(want any) func(in string) (texts []string, known bool) {
	answer, _ := Normalize(clone(want)).(map[string]any)
	annotations, _ := answer["auditAnnotations"].(map[string]any)
	body, _ := answer["body"].(map[string]any)
	return func(in string) ([]string, bool) {
		key, isAnnotation := strings.CutPrefix(in, "auditAnnotations.")
		switch {
		case isAnnotation:
			return partsOf(annotations[key]), true
		case in == "warnings":
			return partsOf(answer[in]), true
		}
		if in == "message" {
			text, _ := body[in].(string)
			return []string{text}, true
		}
		var v any = body
		for _, name := range strings.Split(in, ".") {
			members, _ := v.(map[string]any)
			v = members[name]
		}
		return partsOf(v), true
	}
}

// partsOf are the items of a list, or those of which a text is made.
func partsOf(v any) (parts []string) {
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
		var items []json.RawMessage
		if json.Unmarshal([]byte(v), &items) != nil {
			return strings.Split(v, ", ")
		}
		for _, item := range items {
			parts = append(parts, string(item))
		}
	}
	return parts
}

// inForm is a text of ours in the form of recordings.
func inForm(text string) string {
	normal, _ := Normalize(text).(string)
	return normal
}
