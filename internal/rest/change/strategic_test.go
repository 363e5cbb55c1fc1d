package change

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestStrategic(t *testing.T) {
	for _, tt := range []struct{ reason, doc, patch, want string }{
		{"lists merge by their key, new items first",
			`{"spec":{"containers":[{"name":"a","image":"1"}]}}`,
			`{"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"3"}]}}`,
			`{"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"3"}]}}`},
		{"other lists are replaced",
			`{"spec":{"containers":[{"name":"a","args":["1","2"]}]}}`,
			`{"spec":{"containers":[{"name":"a","args":["3"]}]}}`,
			`{"spec":{"containers":[{"name":"a","args":["3"]}]}}`},
		{"$patch: delete takes an item out",
			`{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`,
			`{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`,
			`{"spec":{"containers":[{"name":"b"}]}}`},
		{"null removes", `{"metadata":{"labels":{"a":"1","b":"2"}}}`, `{"metadata":{"labels":{"a":null}}}`, `{"metadata":{"labels":{"b":"2"}}}`},
		{"finalizers are a set", `{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"finalizers":["b","a"]}}`, `{"metadata":{"finalizers":["b","a"]}}`},
		{"int64 survives", `{"spec":{"runAsUser":9007199254740993}}`, `{"spec":{"activeDeadlineSeconds":9007199254740995}}`,
			`{"spec":{"runAsUser":9007199254740993,"activeDeadlineSeconds":9007199254740995}}`},
		{"null changes nothing", `{"metadata":{"name":"a"}}`, `null`, `{"metadata":{"name":"a"}}`},
		{"a patch that is not an object", `{}`, `[]`, `error: 400 json: cannot unmarshal array into Go value of type map[string]interface {}`},
		{"an unknown directive", `{"spec":{}}`, `{"spec":{"$patch":"frobnicate"}}`, `error: unknown patch type: frobnicate in map: map[$patch:frobnicate]`},
		{"items need their key", `{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"containers":[{"image":"1"}]}}`,
			`error: map: map[image:1] does not contain declared merge key: name`},
		{"keys that cannot be compared", `{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"containers":[{"name":["b"]},{"name":["b"]}]}}`,
			`error: runtime error: invalid memory address or nil pointer dereference`},
		{"a list of lists", `{"metadata":{"finalizers":[]}}`, `{"metadata":{"finalizers":[["a"]]}}`, `error: 422 the server rejected our request due to an error in our request`},
		{"$retainKeys belongs to few structs", `{"spec":{}}`, `{"spec":{"$retainKeys":["nodeName"],"hostname":"a"}}`,
			`error: 400 invalid patch format of retainKeys`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := statusAnswer(strategic([]byte(tt.doc), []byte(tt.patch), &corev1.Pod{})); !sameAnswer(got, tt.want) {
				t.Errorf("strategic(%s, %s)\n got %s\nwant %s", tt.doc, tt.patch, got, tt.want)
			}
		})
	}
}

func TestStrategicRetainKeys(t *testing.T) {
	const (
		doc   = `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`
		patch = `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`
		want  = `{"spec":{"strategy":{"type":"Recreate"}}}`
	)
	if got := statusAnswer(strategic([]byte(doc), []byte(patch), &appsv1.Deployment{})); !sameAnswer(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	const wrong = `{"spec":{"strategy":{"$retainKeys":["rollingUpdate"],"type":"Recreate"}}}`
	const refused = "error: 400 invalid patch format of retainKeys"
	if got := statusAnswer(strategic([]byte(doc), []byte(wrong), &appsv1.Deployment{})); got != refused {
		t.Errorf("got %s, want %s", got, refused)
	}
}

// statusAnswer formats a result or an error, with the status code of an error that has one.
func statusAnswer(result []byte, err error) string {
	if status, ok := err.(apierrors.APIStatus); ok {
		return fmt.Sprintf("error: %d %s", status.Status().Code, status.Status().Message)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return string(result)
}

// sameAnswer compares documents by content, numbers by their text, and errors by their text.
func sameAnswer(a, b string) bool {
	return a == b || reflect.DeepEqual(decoded(a), decoded(b))
}

// decoded returns a document as Go values, or its text if it is not a document.
func decoded(doc string) any {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return doc
	}
	return v
}
