package harvest

import (
	"encoding/json"
	"testing"

	"github.com/admsim/admsim/internal/release/record"
)

var pods = []record.Resource{{Version: "v1", Name: "pods", Kind: "Pod", Namespaced: true, Subresources: []string{"status"}}}

func podCall(function, object, old string) []Call {
	return []Call{{Function: function, Objects: []Object{{Version: "v1", Kind: "Pod", Object: json.RawMessage(object), Old: json.RawMessage(old)}}}}
}

// The test of a function leaves out what a request has: the location of the object, and the version that it changes.
func TestCases(t *testing.T) {
	cases := Cases(podCall("pkg/registry/core/pod:podStatusStrategy.ValidateUpdate",
		`{"metadata":{"name":"a","resourceVersion":"3","creationTimestamp":null},"spec":{}}`, `{"metadata":{"name":"b","uid":"1"}}`), pods, "p")
	if len(cases) != 1 {
		t.Fatalf("%d cases, want 1", len(cases))
	}
	c, r := cases[0], cases[0].Requests[0]
	if r.Verb != "update" || r.Subresource != "status" || r.Namespace != "default" || r.Name != "a" || c.Profile != "p" {
		t.Errorf("the request is %+v", r)
	}
	if want := `{"metadata":{"name":"a","namespace":"default","resourceVersion":"$resourceVersion"},"spec":{}}`; string(r.Object) != want {
		t.Errorf("the object is %s, want %s", r.Object, want)
	}
	if want := `{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":"a","namespace":"default"}}`; string(c.Cluster[0]) != want {
		t.Errorf("the old object is %s, want %s", c.Cluster[0], want)
	}
}

// A case has the same name whichever function got it, and whenever the tests ran.
func TestCaseID(t *testing.T) {
	id := func(function, object string) string {
		cases := Cases(podCall(function, object, ""), pods, "p")
		if len(cases) != 1 {
			t.Fatalf("%d cases of %s, want 1", len(cases), object)
		}
		return cases[0].ID
	}
	const object = `{"metadata":{"name":"a","annotations":{"id":"7d444840-9dc0-11d1-b245-5ffdce74fad2"}}}`
	first := id("a:ValidatePod", object)
	if second := id("b:ValidatePodCreate", `{"metadata":{"name":"a","annotations":{"id":"8d444840-9dc0-11d1-b245-5ffdce74fad2"}}}`); second != first {
		t.Errorf("another run names the case %s, the first run %s", second, first)
	}
	if other := id("a:ValidatePod", `{"metadata":{"name":"b"}}`); other == first {
		t.Errorf("two cases are both named %s", first)
	}
	calls := append(podCall("a:ValidatePod", object, ""), podCall("b:ValidatePod", object, "")...)
	if cases := Cases(calls, pods, "p"); len(cases) != 1 {
		t.Errorf("%d cases of one object, want 1", len(cases))
	}
}

// There is no case for a name that cannot be part of a URL.
func TestCasesWithoutURL(t *testing.T) {
	if cases := Cases(podCall("a:ValidatePodUpdate", `{"metadata":{"name":"a/b"}}`, `{"metadata":{"name":"a/b"}}`), pods, "p"); len(cases) != 0 {
		t.Errorf("an update of a/b is %+v", cases)
	}
}
