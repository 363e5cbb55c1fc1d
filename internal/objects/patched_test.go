package objects_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/patch"
)

// A patch of some members has the same result as a patch of the whole object.
func TestPatchOfMembers(t *testing.T) {
	bodies := []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web"},"annotations":{}},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1000m"}}}],"tolerations":[]},"status":{}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"},"binaryData":{"b":"AAE="}}`,
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a":"MQ=="},"stringData":{"b":"2"},"type":"Opaque"}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"},"rules":[]}`,
	}
	patches := []string{
		`[{"op":"add","path":"/metadata/labels","value":{"team":"a"}}]`,
		`[{"op":"add","path":"/metadata/labels/team","value":"a"}]`,
		`[{"op":"remove","path":"/metadata/labels/app"}]`,
		`[{"op":"add","path":"/metadata/labels/app","value":"web"}]`,
		`[{"op":"remove","path":"/metadata/labels/app"},{"op":"add","path":"/metadata/labels/team","value":"a"}]`,
		`[{"op":"add","path":"/metadata/labels","value":{}},{"op":"replace","path":"/metadata/labels/team","value":"\\u00e9"},{"op":"add","path":"/metadata/annotations","value":{"a":"b","a":null}}]`,
		`[{"op":"add","path":"/metadata/labels/","value":"a"}]`,
		`[{"op":"add","path":"/metadata/labels/a~1b","value":"a"}]`,
		`[{"op":"add","path":"/metadata/labels/team","value":1}]`,
		`[{"op":"add","path":"/metadata/labels/team","value":null}]`,
		`[{"op":"add","path":"/metadata/labels/team"}]`,
		`[{"op":"add","path":"/metadata/labels/team/a","value":"b"}]`,
		`[{"op":"add","path":"/metadata/labels","value":{"team":1}}]`,
		`[{"op":"add","path":"/metadata/labelses/team","value":"b"}]`,
		`[{"op":"test","path":"/metadata/labels/app","value":"web"},{"op":"add","path":"/metadata/labels/team","value":"b"}]`,
		`[{"op":"copy","from":"/metadata/labels/app","path":"/metadata/labels/team"}]`,
		`[{"op":"remove","path":"/metadata/labels"}]`,
		`[{"op":"remove","path":"/metadata"}]`,
		`[{"op":"replace","path":"/metadata/name","value":"other"},{"op":"test","path":"/spec/containers/0/name","value":"c"}]`,
		`[{"op":"add","path":"/spec/containers/-","value":{"name":"d","unknown":true}}]`,
		`[{"op":"replace","path":"/spec","value":{}}]`,
		`[{"op":"copy","from":"/metadata/name","path":"/data/copied"}]`,
		`[{"op":"move","from":"/data/a","path":"/data/b"}]`,
		`[{"op":"add","path":"/data","value":{"x":"Mg=="}},{"op":"remove","path":"/stringData"}]`,
		`[{"op":"add","path":"/rules/-","value":{"verbs":["get"],"resources":["pods"],"apiGroups":[""]}}]`,
		`[{"op":"add","path":"/notThere","value":1}]`,
		`[{"op":"add","path":"/spec/replicas","value":"three"}]`,
		`[{"op":"replace","path":"/kind","value":"Other"}]`,
		`[{"op":"test","path":"/metadata/missing","value":null}]`,
		`[{"op":"add","path":"","value":{}}]`,
		`[]`,
	}
	types := kinds.New(nil, objects.Options{})
	ways := map[string]int{}
	for n, text := range append(bodies, bodies...) {
		var kind metav1.TypeMeta
		if err := json.Unmarshal([]byte(text), &kind); err != nil {
			t.Fatal(err)
		}
		gvk := kind.GroupVersionKind()
		object, _, err := types.Decode([]byte(text), gvk, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		m, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 5*(n%2), time.UTC)) // with and without a fraction
		m.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "tester", Operation: "Update", Time: &now}})
		before := object.DeepCopyObject()
		for _, operations := range patches {
			p, err := patch.DecodeJSON([]byte(operations))
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := types.Encode(object)
			if err != nil {
				t.Fatal(err)
			}
			type result struct {
				text    string
				changed bool
			}
			resultOf := func(got runtime.Object, changed bool) result {
				text, _ := types.Encode(got)
				return result{string(text), changed}
			}
			short := map[string]result{} // by the way in which it was obtained
			if got, m := types.Editable(object, gvk); p.OnStrings(m) {
				short["strings"] = resultOf(got, objects.StringsChanged(object, m))
			}
			if members, ok := p.Members(); ok {
				if got := types.Edited(object, gvk, members, p.Apply, objects.Ignore); got != nil {
					short["members"] = resultOf(got, objects.EditChanged(object, got, members))
				}
			}
			if diff := cmp.Diff(before, object); diff != "" {
				t.Fatalf("%s changed what it was given: %s", operations, diff)
			}
			for way, got := range short {
				ways[way]++
				whole, err := p.Apply(encoded)
				if err != nil {
					t.Errorf("%s of %s only applies by the shortcut %s: %v", operations, text, way, err)
					continue
				}
				want, err := types.Patched(whole, gvk)
				if err != nil {
					t.Errorf("%s of %s can only be read after the shortcut %s: %v", operations, text, way, err)
					continue
				}
				wanted := resultOf(want, !equality.Semantic.DeepEqual(object, want))
				if diff := cmp.Diff(wanted, got, cmp.AllowUnexported(result{})); diff != "" {
					t.Errorf("%s of %s (-whole +%s)\n%s", operations, text, way, diff)
				}
			}
		}
	}
	if ways["members"] < 40 || ways["strings"] < 16 {
		t.Errorf("too few patches used a shortcut: %v", ways)
	}
}

// An edit of some members has the same result as an edit of the whole object, with its defaults.
func TestEditOfMembers(t *testing.T) {
	bodies := []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]},"status":{}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","annotations":{"a":"b"}},"spec":{"ports":[{"port":80}]}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
	}
	merges := []string{
		`{"metadata":{"labels":{"team":"a"}}}`,
		`{"metadata":{"labels":null,"annotations":{"x":"y"}}}`,
		`{"metadata":null}`,
		`{"metadata":{}}`,
		`{"spec":{"replicas":3}}`,
		`{"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`,
		`{"spec":null}`,
		`{"spec":{"containers":[{"name":"c","image":"other"},{"name":"d","image":"i"}]}}`,
		`{"metadata":{"managedFields":[]}}`,
		`{"spec":{"unknown":1}}`,
		`{"kind":"Other"}`,
		`{}`,
		`[]`,
		`null`,
	}
	types := kinds.New(nil, objects.Options{})
	direct := 0
	for _, text := range bodies {
		for _, s := range []objects.Strictness{objects.Ignore, objects.Warn, objects.Strict} {
			for _, merge := range merges {
				var kind metav1.TypeMeta
				if err := json.Unmarshal([]byte(text), &kind); err != nil {
					t.Fatal(err)
				}
				gvk := kind.GroupVersionKind()
				object, _, err := types.Decode([]byte(text), gvk, objects.Ignore)
				if err != nil {
					t.Fatal(err)
				}
				before := object.DeepCopyObject()
				members, ok := patch.MembersOf([]byte(merge))
				if !ok {
					continue
				}
				edit := func(doc []byte) ([]byte, error) { return patch.Merge(doc, []byte(merge)) }
				got := types.Edit(object, gvk, members, edit, s)
				if diff := cmp.Diff(before, object); diff != "" {
					t.Fatalf("%s changed what it was given: %s", merge, diff)
				}
				if got == nil {
					continue
				}
				direct++
				encoded, err := types.Encode(object)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := edit(encoded)
				if err != nil {
					t.Fatal(err)
				}
				want, warnings, err := types.Decode(whole, gvk, s)
				if err != nil || len(warnings) > 0 {
					t.Errorf("%s of %s only fails for the whole object: %v %v", merge, text, err, warnings)
					continue
				}
				wantText, _ := types.Encode(want)
				gotText, _ := types.Encode(got)
				if diff := cmp.Diff(string(wantText), string(gotText)); diff != "" {
					t.Errorf("%s of %s (-whole +members)\n%s", merge, text, diff)
				}
			}
		}
	}
	if direct < 50 {
		t.Errorf("only %d edits were of members", direct)
	}
}

// Whether a patch changes an object depends on its meaning (W-214), but an object that no longer names its kind counts
// as changed.
func TestPatchedIsChanged(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	for _, test := range []struct {
		patch           string
		changed, differ bool
		reason          string
	}{
		{`[{"op":"test","path":"/kind","value":"Role"}]`, false, false, "nothing is done"},
		{`[{"op":"add","path":"/rules","value":[]}]`, false, true, "an empty list means what a missing one does, and is another JSON"},
		{`[{"op":"add","path":"/metadata/labels","value":{}}]`, false, false, "labels that are empty are left out"},
		{`[{"op":"remove","path":"/apiVersion"}]`, true, false, "what the kind is, is known, but not said"},
		{`[{"op":"remove","path":"/kind"}]`, true, false, "what the kind is, is known, but not said"},
		{`[{"op":"replace","path":"/metadata/name","value":"other"}]`, true, true, "another name"},
	} {
		role := &rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"}, ObjectMeta: metav1.ObjectMeta{Name: "r"}}
		p, err := patch.DecodeJSON([]byte(test.patch))
		if err != nil {
			t.Fatal(err)
		}
		patched, changed, err := types.Patch(role, role.GroupVersionKind(), p, func() (json.RawMessage, error) { return types.Encode(role) })
		if err != nil {
			t.Fatalf("%s: %v", test.patch, err)
		}
		if changed != test.changed {
			t.Errorf("%s: changed = %v, want %v: %s", test.patch, changed, test.changed, test.reason)
		}
		if differ := types.Differ(role, patched); differ != test.differ {
			t.Errorf("%s: differ = %v, want %v: %s", test.patch, differ, test.differ, test.reason)
		}
	}
}
