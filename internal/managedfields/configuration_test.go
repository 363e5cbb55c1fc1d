package managedfields

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/pkg/patch"
)

// W-307, with the errors as recorded from the server.
func TestMergeConfiguration(t *testing.T) {
	const live = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"1"}},"spec":{"containers":[{"name":"a","image":"i"}]}}`
	for _, tt := range []struct{ reason, configuration, want string }{
		{"maps merge", `{"metadata":{"labels":{"b":"2"}}}`, `{"metadata":{"name":"p","labels":{"a":"1","b":"2"}},"spec":{"containers":[{"name":"a","image":"i","resources":{}}]},"status":{}}`},
		{"lists with keys merge", `{"spec":{"containers":[{"name":"b","image":"j"},{"name":"a","imagePullPolicy":"Never"}]}}`,
			`{"metadata":{"name":"p","labels":{"a":"1"}},"spec":{"containers":[{"name":"b","image":"j","resources":{}},{"name":"a","image":"i","imagePullPolicy":"Never","resources":{}}]},"status":{}}`},
		{"a duplicate key", `{"spec":{"containers":[{"name":"a"},{"name":"a"}]}}`, `error: error applying patch: failed to convert patch object to typed object: .spec.containers: duplicate entries for key [name="a"]`},
		{"atomic list", `{"spec":{"tolerations":[{"key":"x"}]}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations`},
		{"atomic list that is empty", `{"spec":{"tolerations":[]}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations`},
		{"atomic map", `{"spec":{"nodeSelector":{"a":"b"}}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector`},
		{"atomic list further down", `{"spec":{"containers":[{"name":"a","command":["x"]}]}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].command`},
		{"atomic struct", `{"metadata":{"ownerReferences":[{"uid":"1","name":"x","kind":"Y","apiVersion":"v1"}]}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0]`},
		{"several, sorted by name", `{"spec":{"tolerations":[],"nodeSelector":{}}}`, `error: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector, .spec.tolerations`},
		{"unknown field", `{"spec":{"colour":"red"}}`, `error: error applying patch: failed to convert patch object to typed object: .spec.colour: field not declared in schema`},
		{"unknown field of the object", `{"colour":"red"}`, `error: error applying patch: failed to convert patch object to typed object: .colour: field not declared in schema`},
		{"wrong type", `{"spec":{"terminationGracePeriodSeconds":"x"}}`, `error: error applying patch: failed to convert patch object to typed object: .spec.terminationGracePeriodSeconds: expected numeric (int or float), got string`},
		{"a value that does not fit the Go type", `{"spec":{"terminationGracePeriodSeconds":1.5}}`, `error: unable to convert unstructured object to /v1, Kind=Pod: cannot convert float64 to int64`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			pod := &corev1.Pod{}
			if err := json.Unmarshal([]byte(live), pod); err != nil {
				t.Fatal(err)
			}
			checkMerged(t, pod, tt.configuration, tt.want)
		})
	}
}

// W-308: some kinds have no type.
func TestMergeConfigurationWithoutType(t *testing.T) {
	options := &corev1.PodAttachOptions{}
	options.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodAttachOptions"))
	checkMerged(t, options, `{"stdin":true}`, `error: error applying patch: failed to convert patch object to typed object: no corresponding type for /v1, Kind=PodAttachOptions`)
}

func checkMerged(t *testing.T, obj runtime.Object, configuration, want string) {
	t.Helper()
	var config map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(configuration), &config); err != nil {
		t.Fatal(err)
	}
	merged, err := builtIn().MergeConfiguration(obj, config)
	got := answer("", err)
	if err == nil {
		got = withoutKind(t, merged)
	}
	if !sameAnswer(got, want) {
		t.Errorf("MergeConfiguration(%s)\n got %s\nwant %s", configuration, got, want)
	}
}

func withoutKind(t *testing.T, obj runtime.Object) string {
	t.Helper()
	bare, err := patch.Merge([]byte(encodeObject(t, obj)), []byte(`{"kind":null,"apiVersion":null}`))
	if err != nil {
		t.Fatal(err)
	}
	return string(bare)
}
