package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/conformance"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// What a create cannot set is carried over from the recording. What the release adds stays, and what it dropped is not
// restored.
func TestCarryOver(t *testing.T) {
	tests := []struct{ reason, created, stated, want string }{
		{
			"nothing but what differs from server to server",
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7","creationTimestamp":"2024-05-05T00:00:00Z"},"status":{"phase":"Active"}}`,
			`{"metadata":{"name":"a","uid":"00000000-0000-0000-0000-000000000001","resourceVersion":"1","creationTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Active"}}`,
			"",
		},
		{
			"a status that a create ignores, and a deletion",
			`{"metadata":{"name":"a","uid":"u"},"status":{"phase":"Active"}}`,
			`{"metadata":{"name":"a","uid":"v","deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Terminating"}}`,
			`{"metadata":{"name":"a","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Terminating"}}`,
		},
		{
			"the release adds a field, and does not know another",
			`{"metadata":{"name":"a"},"spec":{"new":true,"min":1}}`,
			`{"metadata":{"name":"a","generation":1},"spec":{"old":true,"min":1}}`,
			"",
		},
		{
			"a value that the server set itself",
			`{"metadata":{"name":"a"},"spec":{"username":"setup","usages":["a","b"]}}`,
			`{"metadata":{"name":"a"},"spec":{"username":"jane","usages":["a","c"]}}`,
			`{"metadata":{"name":"a"},"spec":{"username":"jane","usages":["a","c"]}}`,
		},
	}
	for _, test := range tests {
		created := object(t, test.created)
		changed := carryOver(created, object(t, test.stated))
		want := test.want
		if want == "" {
			want = test.created
		}
		if diff := conformance.Difference(object(t, want), created); diff != "" || changed != (test.want != "") {
			t.Errorf("%s: carryOver changed = %v, and the result differs (-want +got):\n%s", test.reason, changed, diff)
		}
	}
}

// Kubernetes uses some old names in the keys of objects in etcd.
func TestKey(t *testing.T) {
	tests := []struct {
		resource        resource
		namespace, want string
	}{
		{resource{group: "", name: "pods"}, "shop", "/registry/pods/shop/a"},
		{resource{group: "", name: "nodes"}, "", "/registry/minions/a"},
		{resource{group: "", name: "services"}, "shop", "/registry/services/specs/shop/a"},
		{resource{group: "", name: "replicationcontrollers"}, "shop", "/registry/controllers/shop/a"},
		{resource{group: "networking.k8s.io", name: "ingresses"}, "shop", "/registry/ingress/shop/a"},
		{resource{group: "extensions", name: "ingresses"}, "shop", "/registry/ingress/shop/a"},
		{resource{group: "policy", name: "podsecuritypolicies"}, "", "/registry/podsecuritypolicy/a"},
		{resource{group: "networking.k8s.io", name: "networkpolicies"}, "shop", "/registry/networkpolicies/shop/a"},
		{resource{group: "apps", name: "deployments"}, "shop", "/registry/deployments/shop/a"},
		{resource{group: "apiextensions.k8s.io", name: "customresourcedefinitions"}, "", "/registry/apiextensions.k8s.io/customresourcedefinitions/a"},
		{resource{group: "example.com", name: "widgets"}, "shop", "/registry/example.com/widgets/shop/a"},
	}
	for _, test := range tests {
		if got := test.resource.key(test.namespace, "a"); got != test.want {
			t.Errorf("key(%+v, %q) = %s, want %s", test.resource, test.namespace, got, test.want)
		}
	}
}

func TestVary(t *testing.T) {
	recording := func(vary string, expect ...string) *conformance.Recording {
		r := &conformance.Recording{}
		for i, text := range expect {
			r.Requests = append(r.Requests, conformance.Request{ID: strconv.Itoa(i), Vary: vary, Expect: object(t, text)})
		}
		return r
	}
	first := recording("", `{"code":200,"body":{"kind":"Pod"}}`,
		`{"code":422,"body":{"kind":"Status","message":"a, b"}}`,
		`{"code":200,"body":{"kind":"Pod"},"warnings":["a","b"],"calls":[1]}`)
	Vary(first, recording("", `{"code":200,"body":{"kind":"Pod"}}`,
		`{"code":422,"body":{"kind":"Status","message":"b, a","details":{"causes":[2,1]}}}`,
		`{"code":200,"body":{"kind":"Job"},"warnings":["b","a"],"calls":[1]}`))
	var got []string
	for _, r := range first.Requests {
		got = append(got, r.Vary)
	}
	if want := []string{"", "body.details,body.message", "body,warnings"}; !slices.Equal(got, want) {
		t.Errorf("what varies is %q, want %q", got, want)
	}

	allocated := recording("spec.clusterIP,spec.clusterIPs", `{"code":201,"body":{"kind":"Service","spec":{"clusterIP":"10.0.0.1"}}}`)
	Vary(allocated, recording("", `{"code":201,"body":{"kind":"Service","spec":{"clusterIP":"10.0.0.2"}}}`))
	if got := allocated.Requests[0].Vary; got != "spec.clusterIP,spec.clusterIPs" {
		t.Errorf("if nothing new varies: %q, want spec.clusterIP,spec.clusterIPs", got)
	}

	drawn := recording("", `{"code":201,"body":{"kind":"Service","spec":{"clusterIP":"10.0.0.1"}}}`)
	Vary(drawn, drawn)
	if got := drawn.Requests[0].Vary; got != "spec.clusterIP,spec.clusterIPs" {
		t.Errorf("if two runs draw the same address: %q, want spec.clusterIP,spec.clusterIPs", got)
	}
	drawn.Requests[0].Vary, drawn.Requests[0].Object = "", []byte(`{"spec":{"clusterIP":"10.0.0.1"}}`)
	Vary(drawn, drawn)
	if got := drawn.Requests[0].Vary; got != "" {
		t.Errorf("an address that the request has varies: %q", got)
	}

	known := recording("body", `{"code":422,"body":{"kind":"Status","message":"a"}}`)
	Vary(known, recording("", `{"code":403,"body":{"kind":"Status","message":"b"}}`))
	if got := known.Requests[0].Vary; got != "body,code" {
		t.Errorf("known and new variation is %q, want body,code", got)
	}

	whole := recording("", `{"code":200}`, `{"code":201}`, `{"code":202}`)
	part := recording("", `{"code":200}`, `{"code":201}`, `{"code":203}`)
	part.Requests = slices.Delete(part.Requests, 1, 2)
	Vary(whole, part)
	if len(whole.Requests) != 2 || whole.Requests[1].ID != "2" || whole.Requests[1].Vary != "code" {
		t.Errorf("without the request that was not answered again: %+v", whole.Requests)
	}
}

func TestCompare(t *testing.T) {
	recorded := &conformance.Recording{ID: "shop", Cluster: []json.RawMessage{[]byte(`{"kind":"Pod"}`)}, Requests: []conformance.Request{
		{ID: "same", Expect: object(t, `{"code":200,"body":{}}`)},
		{ID: "other", Expect: object(t, `{"code":200,"body":{}}`)},
		{ID: "missing", Expect: object(t, `{"code":200,"body":{}}`)},
		{ID: "undetermined", Vary: "body", Expect: object(t, `{"code":200,"body":"a"}`)},
	}}
	played := &conformance.Recording{Requests: []conformance.Request{
		{ID: "same", Expect: object(t, `{"code":200,"body":{}}`)},
		{ID: "other", Expect: object(t, `{"code":403,"body":{}}`)},
		{ID: "undetermined", Expect: object(t, `{"code":200,"body":"b"}`)},
	}}
	var got []string
	for _, d := range append(Compare(recorded, played), CompareClusters(recorded, played)) {
		got = append(got, d.Name+" "+strings.ReplaceAll(d.Diff, "\n", ";"))
	}
	want := []string{
		"shop/same ", "shop/other - code: 200;+ code: 403;",
		"shop/missing it was not played;", "shop/undetermined ",
		`shop, the cluster - [0]: {"kind":"Pod"};`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("Compare = %q, want %q", got, want)
	}
}
