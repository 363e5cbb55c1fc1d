package unset_test

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/unset"
)

// Members are in the order of the fields of the Go types, what clients wrote is as they wrote it, and members without a
// field come last.
func TestOrder(t *testing.T) {
	const schema = `{"description":"a","type":"object","properties":{"b":{"description":"b","type":"array","items":{"description":"c","type":"string"}},"d":{"type":"object","additionalProperties":{"description":"<e>","type":"integer","default":{"z":1,"a":2}}}}}`
	for _, tt := range []struct {
		object any
		json   string
		add    string // a member of the tree
		want   string
	}{
		{object: &corev1.Pod{}, json: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"1","b":"2"}},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]},"status":{}}`},
		{object: &apiextensionsv1.JSONSchemaProps{}, json: schema},
		{object: &runtime.RawExtension{}, json: `{"z":1,"a":2}`},
		{object: &corev1.Container{}, json: `{"name":"a","image":"b","resources":{}}`, add: "former", want: `{"name":"a","image":"b","resources":{},"former":{"a":1,"b":2}}`},
		{object: &corev1.Container{}, json: `{"name":"a","image":"b","resources":{}}`, add: "livenessProbe", want: `{"name":"a","image":"b","resources":{},"livenessProbe":{"a":1,"b":2}}`},
		{object: &corev1.Pod{}, json: `{"kind":"Pod","metadata":{},"spec":{"containers":null},"status":{}}`, add: "metadata", want: `{"kind":"Pod","metadata":{"a":1,"b":2},"spec":{"containers":null},"status":{}}`},
	} {
		var tree any
		if err := json.Unmarshal([]byte(tt.json), tt.object); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(tt.json), &tree); err != nil {
			t.Fatal(err)
		}
		want := tt.json
		if tt.add != "" {
			tree.(map[string]any)[tt.add], want = map[string]any{"b": 2, "a": 1}, tt.want
		}
		got, err := new(unset.Order).Encode(tt.object, tree)
		if err != nil {
			t.Fatal(err)
		}
		if compact, _ := json.Marshal(json.RawMessage(want)); string(got) != string(compact) {
			t.Errorf("Encode = %s, want %s", got, compact)
		}
	}
}
