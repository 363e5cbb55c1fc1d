package objects

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/patch"
)

// A patch of some members comes out as one of the whole object does.
func TestPatchOfMembers(t *testing.T) {
	objects := []string{
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
	types := New(nil, Options{})
	direct := 0
	for n, text := range append(objects, objects...) {
		var kind metav1.TypeMeta
		if err := json.Unmarshal([]byte(text), &kind); err != nil {
			t.Fatal(err)
		}
		gvk := kind.GroupVersionKind()
		object, _, err := types.Decode([]byte(text), gvk, Ignore)
		if err != nil {
			t.Fatal(err)
		}
		m, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 5*(n%2), time.UTC)) // with a fraction, and without
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
			members, ok := p.Members()
			if !ok {
				continue
			}
			got := types.edited(object, gvk, members, p.Apply, Ignore)
			if diff := cmp.Diff(before, object); diff != "" {
				t.Fatalf("%s changed what it was given: %s", operations, diff)
			}
			if got == nil {
				continue
			}
			direct++
			whole, err := p.Apply(encoded)
			if err != nil {
				t.Errorf("%s of %s applies to members only: %v", operations, text, err)
				continue
			}
			want, err := types.Patched(whole, gvk)
			if err != nil {
				t.Errorf("%s of %s can be read of members only: %v", operations, text, err)
				continue
			}
			wantText, _ := types.Encode(want)
			gotText, _ := types.Encode(got)
			if diff := cmp.Diff(string(wantText), string(gotText)); diff != "" {
				t.Errorf("%s of %s (-whole +members)\n%s", operations, text, diff)
			}
			if w, g := !equality.Semantic.DeepEqual(object, want), editChanged(object, got, members); w != g {
				t.Errorf("%s of %s: changed: %v, of members only %v", operations, text, w, g)
			}
		}
	}
	if direct < 25 {
		t.Errorf("only %d patches were of members", direct)
	}
}

// An edit of some members comes out as one of the whole object does, with its defaults.
func TestEditOfMembers(t *testing.T) {
	objects := []string{
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
	types := New(nil, Options{})
	direct := 0
	for _, text := range objects {
		for _, s := range []Strictness{Ignore, Warn, Strict} {
			for _, merge := range merges {
				var kind metav1.TypeMeta
				if err := json.Unmarshal([]byte(text), &kind); err != nil {
					t.Fatal(err)
				}
				gvk := kind.GroupVersionKind()
				object, _, err := types.Decode([]byte(text), gvk, Ignore)
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
					t.Errorf("%s of %s is read without a word of members only: %v %v", merge, text, err, warnings)
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
