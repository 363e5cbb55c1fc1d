package managedfields

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/patch"
)

var (
	configMaps = Target{Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap")}
	pods       = Target{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Reset: [][]string{{"status"}}}
	podStatus  = Target{Kind: pods.Kind, Subresource: "status", Reset: [][]string{{"spec"}}}
)

// at returns the time so many minutes into the test.
func at(minutes int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC))
}

// A write is an apply, or an update if object is set.
type write struct {
	as     string
	force  bool
	apply  string
	update string
	on     *Target
	want   string // an error, or the object after the write
	owners string // managedFields after the write, if not empty
}

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		reason string
		target Target
		writes []write
	}{
		{"an applier owns what it applies", configMaps, []write{
			{as: "a", apply: `{"data":{"k":"1"}}`, want: `{"data":{"k":"1"}}`, owners: `Apply a v1 00:00 {"f:data":{"f:k":{}}}`},
			{as: "a", apply: `{"data":{"k":"1"}}`, want: `{"data":{"k":"1"}}`, owners: `Apply a v1 00:00 {"f:data":{"f:k":{}}}`},
			{as: "a", apply: `{"data":{"k":"2"}}`, want: `{"data":{"k":"2"}}`, owners: `Apply a v1 00:02 {"f:data":{"f:k":{}}}`},
		}},
		{"what is no longer applied is removed", configMaps, []write{
			{as: "a", apply: `{"data":{"k":"1","l":"1"}}`, want: `{"data":{"k":"1","l":"1"}}`},
			{as: "b", apply: `{"data":{"l":"1","m":"1"}}`, want: `{"data":{"k":"1","l":"1","m":"1"}}`},
			{as: "a", apply: `{}`, want: `{"data":{"l":"1","m":"1"}}`},
		}},
		{"others' fields conflict", configMaps, []write{
			{as: "a", apply: `{"data":{"k":"1"}}`, want: `{"data":{"k":"1"}}`},
			{as: "b", apply: `{"data":{"k":"2"}}`, want: `error: 409 Apply failed with 1 conflict: conflict with "a": .data.k`},
			{as: "b", apply: `{"data":{"k":"2"}}`, force: true, want: `{"data":{"k":"2"}}`, owners: `Apply b v1 00:02 {"f:data":{"f:k":{}}}`},
		}},
		{"several conflicts", configMaps, []write{
			{as: "a", apply: `{"data":{"k":"1","l":"1"}}`, want: `{"data":{"k":"1","l":"1"}}`},
			{as: "c", update: `{"data":{"k":"1","l":"1","m":"1"}}`, want: `{"data":{"k":"1","l":"1","m":"1"}}`},
			{as: "b", apply: `{"data":{"k":"2","l":"2","m":"2"}}`, want: "error: 409 Apply failed with 3 conflicts: conflicts with \"a\":\n- .data.k\n- .data.l\nconflicts with \"c\" using v1:\n- .data.m"},
		}},
		{"an update owns what it changed", configMaps, []write{
			{as: "a", update: `{"data":{"k":"1"}}`, want: `{"data":{"k":"1"}}`, owners: `Update a v1 00:00 {"f:data":{".":{},"f:k":{}}}`},
			{as: "b", update: `{"data":{"k":"1","l":"1"}}`, want: `{"data":{"k":"1","l":"1"}}`,
				owners: "Update a v1 00:00 {\"f:data\":{\".\":{},\"f:k\":{}}}\nUpdate b v1 00:01 {\"f:data\":{\"f:l\":{}}}"},
			{as: "b", update: `{"data":{"k":"1","l":"1"}}`, want: `{"data":{"k":"1","l":"1"}}`,
				owners: "Update a v1 00:00 {\"f:data\":{\".\":{},\"f:k\":{}}}\nUpdate b v1 00:01 {\"f:data\":{\"f:l\":{}}}"},
			{as: "c", apply: `{"data":{"k":"2"}}`, want: `error: 409 Apply failed with 1 conflict: conflict with "a" using v1: .data.k`},
		}},
		{"lists with keys are merged, others are atomic", pods, []write{
			{as: "a", apply: `{"spec":{"containers":[{"name":"c","image":"1"}],"tolerations":[{"key":"x"}]}}`,
				want: `{"spec":{"containers":[{"name":"c","image":"1","resources":{}}],"tolerations":[{"key":"x"}]},"status":{}}`},
			{as: "b", apply: `{"spec":{"containers":[{"name":"d","image":"2"}]}}`,
				want: `{"spec":{"containers":[{"name":"c","image":"1","resources":{}},{"name":"d","image":"2","resources":{}}],"tolerations":[{"key":"x"}]},"status":{}}`},
			{as: "b", apply: `{"spec":{"tolerations":[{"key":"x"},{"key":"y"}]}}`,
				want: `error: 409 Apply failed with 1 conflict: conflict with "a": .spec.tolerations`},
		}},
		{"a subresource has owners of its own", pods, []write{
			{as: "a", apply: `{"spec":{"containers":[{"name":"c"}]},"status":{"reason":"x"}}`,
				want:   `{"spec":{"containers":[{"name":"c","resources":{}}]},"status":{"reason":"x"}}`,
				owners: `Apply a v1 00:00 {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}}}}`},
			{as: "a", on: &podStatus, apply: `{"status":{"phase":"Running"}}`,
				want:   `{"spec":{"containers":[{"name":"c","resources":{}}]},"status":{"reason":"x","phase":"Running"}}`,
				owners: "Apply a v1 00:00 {\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},\"f:name\":{}}}}}\nApply a v1 status 00:01 {\"f:status\":{\"f:phase\":{}}}"},
			{as: "b", on: &podStatus, apply: `{"status":{"phase":"Failed"}}`,
				want: `error: 409 Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.phase`},
		}},
		{"refused configurations", configMaps, []write{
			{as: "a", apply: `{"apiVersion":"v2"}`, want: `error: 400 invalid object type: /v2, Kind=ConfigMap`},
			{as: "a", apply: `{"metadata":{"managedFields":[]}}`, want: `error: 400 metadata.managedFields must be nil`},
			{as: "a", apply: `{"data":{"k":1}}`, want: `error: failed to create typed patch object (/o; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:1}`},
			{as: "a", apply: `{"daten":{"k":"1"}}`, want: `error: failed to create typed patch object (/o; /v1, Kind=ConfigMap): .daten: field not declared in schema`},
			{as: "a", apply: `{"zeta":1,"data":"x","eta":2}`, want: "error: failed to create typed patch object (/o; /v1, Kind=ConfigMap): errors:\n  .data: expected map, got &{x}\n  .eta: field not declared in schema"}, // in the order of names
		}},
		{"custom resources follow their schema", gizmos(t), []write{
			{as: "a", apply: `{"spec":{"size":1,"tags":["x"]}}`, want: `{"spec":{"size":1,"tags":["x"]}}`,
				owners: `Apply a crd.example.com/v1 00:00 {"f:spec":{"f:size":{},"f:tags":{"v:\"x\"":{}}}}`},
			{as: "b", apply: `{"spec":{"tags":["y"],"template":{"metadata":{"labels":{"l":"1"}}}}}`,
				want: `{"spec":{"size":1,"tags":["x","y"],"template":{"metadata":{"labels":{"l":"1"}}}}}`},
			{as: "b", apply: `{"spec":{"size":"large"}}`,
				want: `error: failed to create typed patch object (/o; crd.example.com/v1, Kind=Gizmo): .spec.size: expected numeric (int or float), got string`},
			{as: "b", apply: `{"spec":{"junk":1}}`,
				want: `error: failed to create typed patch object (/o; crd.example.com/v1, Kind=Gizmo): .spec.junk: field not declared in schema`},
			{as: "b", apply: `{"metadata":{"labels":{"l":1}}}`,
				want: `error: failed to create typed patch object (/o; crd.example.com/v1, Kind=Gizmo): .metadata.labels.l: expected string, got &value.valueUnstructured{Value:1}`},
		}},
		{"custom resources without a schema accept anything", without(t), []write{
			{as: "a", apply: `{"spec":{"size":1,"any":[{"x":1}]}}`, want: `{"spec":{"size":1,"any":[{"x":1}]}}`},
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var live runtime.Object
			for i, w := range tt.writes {
				target := tt.target
				if w.on != nil {
					target = *w.on
				}
				before := encodeObject(t, live)
				next, err := w.run(t, target, live, at(i))
				if after := encodeObject(t, live); after != before {
					t.Errorf("write %d changed the live object: %s became %s", i, before, after)
				}
				if got := answer(content(t, next), err); !sameAnswer(got, w.want) {
					t.Errorf("write %d by %s\n got %s\nwant %s", i, w.as, got, w.want)
				}
				if err != nil {
					continue
				}
				live = next
				if diff := cmp.Diff(w.owners, owners(t, live)); w.owners != "" && diff != "" {
					t.Errorf("owners after write %d by %s: -want +got\n%s", i, w.as, diff)
				}
			}
		})
	}
}

func (w write) run(t *testing.T, target Target, live runtime.Object, now metav1.Time) (runtime.Object, error) {
	t.Helper()
	writer := Writer{Manager: w.as, Force: w.force, Now: now}
	if w.apply != "" {
		return target.Apply(live, []byte(withIdentity(t, target.Kind, w.apply)), writer)
	}
	obj, err := creator{}.New(target.Kind)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(withIdentity(t, target.Kind, w.update)), obj); err != nil {
		t.Fatal(err)
	}
	return target.Track(live, obj, writer), nil
}

// withIdentity adds kind, version and name to an object.
func withIdentity(t *testing.T, kind schema.GroupVersionKind, obj string) string {
	t.Helper()
	merged, err := patch.Merge([]byte(fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"o"}}`, kind.GroupVersion(), kind.Kind)), []byte(obj))
	if err != nil {
		t.Fatal(err)
	}
	return string(merged)
}

func encodeObject(t *testing.T, obj runtime.Object) string {
	t.Helper()
	b, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// content returns an object without its identity and managedFields.
func content(t *testing.T, obj runtime.Object) string {
	t.Helper()
	if obj == nil {
		return ""
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(encodeObject(t, obj)), &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(m, name)
	}
	rest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}

// owners returns managedFields, one entry per line, without the owned fields of metadata.
func owners(t *testing.T, obj runtime.Object) string {
	t.Helper()
	accessor, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range accessor.GetManagedFields() {
		words := []string{string(e.Operation), e.Manager, e.APIVersion}
		if e.Subresource != "" {
			words = append(words, e.Subresource)
		}
		lines = append(lines, strings.Join(append(words, e.Time.Format("15:04"), string(e.FieldsV1.Raw)), " "))
	}
	return strings.Join(lines, "\n")
}

const gizmoCRD = `
metadata: {name: gizmos.crd.example.com}
spec:
  group: crd.example.com
  names: {kind: Gizmo, plural: gizmos}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
  - name: v2
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              length: {type: integer}
`

func crd(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(gizmoCRD), &crd); err != nil {
		t.Fatal(err)
	}
	return &crd
}

func gizmos(t *testing.T) Target {
	t.Helper()
	s, err := custom(crd(t), sharedTypes(builtInTypes), false)
	if err != nil {
		t.Fatal(err)
	}
	return Target{Kind: schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Gizmo"}, Schema: s}
}

func without(t *testing.T) Target {
	t.Helper()
	c := crd(t)
	c.Spec.Versions[0].Schema = nil
	s, err := custom(c, sharedTypes(builtInTypes), false)
	if err != nil {
		t.Fatal(err)
	}
	target := gizmos(t)
	target.Schema = s
	return target
}

// A manager that applied in one version owns fields in another: the conflict names the version that was applied.
func TestApplyOtherVersion(t *testing.T) {
	v1 := gizmos(t)
	v1.Convert = func(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
		u := obj.DeepCopyObject().(*unstructured.Unstructured)
		u.SetGroupVersionKind(to)
		from, into := "size", "length"
		if to.Version == "v1" {
			from, into = into, from
		}
		if v, ok, _ := unstructured.NestedInt64(u.Object, "spec", from); ok {
			u.Object["spec"] = map[string]any{into: v}
		}
		return u, nil
	}
	v2 := v1
	v2.Kind.Version = "v2"

	obj, err := v1.Apply(nil, []byte(withIdentity(t, v1.Kind, `{"spec":{"size":1}}`)), Writer{Manager: "a", Now: at(0)})
	if err != nil {
		t.Fatal(err)
	}
	if obj, err = v1.Convert(obj, v2.Kind); err != nil {
		t.Fatal(err)
	}
	longer := []byte(withIdentity(t, v2.Kind, `{"spec":{"length":2}}`))
	_, err = v2.Apply(obj, longer, Writer{Manager: "b", Now: at(1)})
	const want = `error: 409 Apply failed with 1 conflict: conflict with "a": .spec.size`
	if got := answer("", err); got != want {
		t.Errorf("Apply in v2 = %s, want %s", got, want)
	}
	if obj, err = v2.Apply(obj, longer, Writer{Manager: "a", Now: at(1)}); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, obj), `{"spec":{"length":2}}`; got != want {
		t.Errorf("object %s, want %s", got, want)
	}
}

// Fields set before the first apply belong to the manager "before-first-apply".
func TestApplyToUntracked(t *testing.T) {
	live := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "o", UID: "1"},
		Data:       map[string]string{"k": "1"},
	}
	if tracked := configMaps.Track(live, live, Writer{Manager: "a", Now: at(0)}); owners(t, tracked) != "" {
		t.Errorf("an update of an untracked object is tracked: %s", owners(t, tracked))
	}
	_, err := configMaps.Apply(live, []byte(withIdentity(t, configMaps.Kind, `{"data":{"k":"2"}}`)), Writer{Manager: "a", Now: at(0)})
	const want = `error: 409 Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k`
	if got := answer("", err); got != want {
		t.Errorf("Apply = %s, want %s", got, want)
	}
}

func TestApplyUndecodable(t *testing.T) {
	_, err := configMaps.Apply(nil, []byte("a: b: c"), Writer{Manager: "a"})
	const want = "error: 400 error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context"
	if got := answer("", err); got != want {
		t.Errorf("Apply = %s, want %s", got, want)
	}
}

// The defaults are those of the target.
func TestApplyDefaults(t *testing.T) {
	target := configMaps
	target.Default = func(obj runtime.Object) runtime.Object {
		c := obj.DeepCopyObject().(*corev1.ConfigMap)
		c.Data["default"] = "1"
		return c
	}
	obj, err := target.Apply(nil, []byte(withIdentity(t, target.Kind, `{"data":{"k":"1"}}`)), Writer{Manager: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, obj), `{"data":{"default":"1","k":"1"}}`; got != want {
		t.Errorf("object %s, want %s", got, want)
	}
}

// The server has a type for Scale where it is applied, and therefore refuses unknown fields.
func TestScales(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	target := Target{Kind: kind, Subresource: "scale", Schema: Scales()}
	for config, want := range map[string]string{
		`{"spec":{"replicas":2}}`:          "<nil>",
		`{"spec":{"replicas":2,"many":3}}`: "failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.many: field not declared in schema",
		`{"spec":{"replicas":"x"}}`:        "failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.replicas: expected numeric (int or float), got string",
	} {
		body := `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},` + config[1:]
		if _, err := target.Apply(nil, []byte(body), Writer{Manager: "me"}); fmt.Sprint(err) != want {
			t.Errorf("Apply(%s) says %v, want %s", config, err, want)
		}
	}
}

// The server also knows the types of kinds that are only sent, and of those that only former releases have. This shows in
// their metadata.
func TestOtherKinds(t *testing.T) {
	metadata := metav1.ObjectMeta{Finalizers: []string{"a/b"}}
	for want, object := range map[string]runtime.Object{
		`{"f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{}}},"f:spec":{"f:audiences":{}}}`: &authenticationv1.TokenReview{
			TypeMeta:   metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"},
			ObjectMeta: metadata, Spec: authenticationv1.TokenReviewSpec{Audiences: []string{"c"}},
		},
		`{"f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{}}},"f:spec":{"f:volumes":{}}}`: &builtin.PodPreset{
			TypeMeta:   metav1.TypeMeta{APIVersion: "settings.k8s.io/v1alpha1", Kind: "PodPreset"},
			ObjectMeta: metadata, Spec: builtin.PodPresetSpec{Volumes: []corev1.Volume{{Name: "v"}}},
		},
	} {
		kind := object.GetObjectKind().GroupVersionKind()
		got, err := meta.Accessor(resolve(Target{Kind: kind, Schema: builtIn()}).trackByLibrary(mustCreate(t, kind), object, Writer{Manager: "me", Now: at(1)}))
		if err != nil || len(got.GetManagedFields()) != 1 {
			t.Errorf("%s: %v, managed fields are %v", kind.Kind, err, got.GetManagedFields())
			continue
		}
		if owned := string(got.GetManagedFields()[0].FieldsV1.Raw); owned != want {
			t.Errorf("the writer of a %s owns %s, want %s", kind.Kind, owned, want)
		}
	}
}

// A field that the Go types no longer have is owned at its place in the release, also in kinds without a published type:
// not the annotation that keeps it.
func TestFormerFieldsOfOtherKinds(t *testing.T) {
	schemaOf := func(path string, former map[string]string) Schema {
		return builtInOf(Differences{
			MovedIn: func(schema.GroupKind) moved.Fields {
				return moved.New(struct {
					In, Was, Is, Types, Model string
					Always, Atomic            bool
				}{Was: path})
			},
			Absent: func(string) []string { return nil },
			Former: func(model string) []string {
				if name, ok := former[model]; ok {
					return []string{name}
				}
				return nil
			},
			Merged: func(string) []Merging { return nil },
		})
	}
	kept := func(path, text string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Annotations: map[string]string{moved.Key(path): text}}
	}
	for _, tt := range []struct {
		path   string
		former map[string]string
		object runtime.Object
		want   string
	}{
		{"spec.parentRef.uid", nil, &builtin.IPAddress{
			TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1alpha1", Kind: "IPAddress"},
			ObjectMeta: kept("spec.parentRef.uid", `"8a1c"`), Spec: networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Name: "p"}},
		}, `{"f:spec":{"f:parentRef":{".":{},"f:name":{},"f:uid":{}}}}`},
		{"metadata.initializers", map[string]string{objectMeta: "initializers"}, &authenticationv1.TokenReview{
			TypeMeta:   metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"},
			ObjectMeta: kept("metadata.initializers", `{"pending":[{"name":"a.b.c"}]}`),
		}, `{"f:metadata":{"f:initializers":{".":{},"f:pending":{".":{},"k:{\"name\":\"a.b.c\"}":{".":{},"f:name":{}}}}}}`},
	} {
		kind := tt.object.GetObjectKind().GroupVersionKind()
		got, err := meta.Accessor(Target{Kind: kind, Schema: schemaOf(tt.path, tt.former)}.Track(nil, tt.object, Writer{Manager: "me", Now: at(1)}))
		if err != nil || len(got.GetManagedFields()) != 1 {
			t.Errorf("%s: %v, managed fields are %v", kind.Kind, err, got.GetManagedFields())
			continue
		}
		if owned := string(got.GetManagedFields()[0].FieldsV1.Raw); owned != tt.want {
			t.Errorf("the writer of a %s owns %s, want %s", kind.Kind, owned, tt.want)
		}
	}
}

// W-308 and server-side apply need a type for every kind that is served.
func TestBuiltInKinds(t *testing.T) {
	for _, kind := range []string{"Pod", "Service", "Namespace", "Node", "Secret", "PersistentVolumeClaim", "ResourceQuota", "Event"} {
		if !builtIn().knows(corev1.SchemeGroupVersion.WithKind(kind)) {
			t.Errorf("no type for %s", kind)
		}
	}
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "autoscaling", Version: "v1", Kind: "Scale"},
		{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"},
		{Version: "v1", Kind: "PodAttachOptions"},
		{Group: "policy", Version: "v1", Kind: "Unheard"},
	} {
		if builtIn().knows(gvk) {
			t.Errorf("a type for %s, which the server does not have (W-308)", gvk)
		}
	}
}
