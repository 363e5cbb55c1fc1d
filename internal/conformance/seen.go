package conformance

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/steady"
)

// seenIn returns what the recorded server said at each place. A request uses it to follow the server where several
// behaviors are possible. The resulting answer is then compared as a whole.
func seenIn(want any) func(in string) (texts []string, known bool) {
	answer, _ := Normalize(clone(want)).(map[string]any)
	annotations, _ := answer["auditAnnotations"].(map[string]any)
	body, _ := answer["body"].(map[string]any)
	return func(in string) ([]string, bool) {
		key, isAnnotation := strings.CutPrefix(in, "auditAnnotations.")
		switch {
		case isAnnotation:
			return steady.Parts(annotations[key]), true
		case in == "warnings":
			return steady.Parts(answer[in]), true
		}
		if name, ok := strings.CutPrefix(in, "admissions."); ok {
			return mostCalls(answer, name)
		}
		if in == "message" {
			text, _ := body[in].(string)
			return []string{text}, true
		}
		if in == steady.InErrors {
			text, _ := body["message"].(string)
			return steady.Listed(text), true
		}
		var v any = body
		for _, name := range strings.Split(in, ".") {
			members, _ := v.(map[string]any)
			v = members[name]
		}
		return steady.Parts(v), true
	}
}

// mostCalls returns the calls of the webhook that was called most often for the object of that name, which is called in
// every admission unless it matches only some. Without any calls the number of admissions is unknown.
func mostCalls(answer map[string]any, name string) (most []string, known bool) {
	calls, _ := answer["calls"].([]any)
	of := map[string][]string{}
	for _, c := range calls {
		call, _ := c.(map[string]any)
		review, _ := call["review"].(map[string]any)
		request, _ := review["request"].(map[string]any)
		object, _ := request["oldObject"].(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		if metadata["name"] != name {
			continue
		}
		webhook := fmt.Sprint(call["phase"], " ", call["webhook"])
		of[webhook] = append(of[webhook], webhook)
		if len(of[webhook]) > len(most) {
			most = of[webhook]
		}
	}
	return most, most != nil
}

// inForm converts a text of ours to the form of recordings.
func inForm(text string) string {
	normal, _ := Normalize(text).(string)
	return normal
}
