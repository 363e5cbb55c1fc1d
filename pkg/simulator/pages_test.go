package simulator_test

import (
	"context"
	"net/url"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// The pages of a collection are those of the state in which the first one was deleted: what is created between two pages
// stays.
func TestPages(t *testing.T) {
	sim := shop(t, 0, 0)
	do := func(req rest.Request) *simulator.Result {
		t.Helper()
		req.Resource, req.Namespace = newConfigMap.Resource, newConfigMap.Namespace
		result, err := sim.Do(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Allowed() {
			t.Fatalf("%s: %v", req.Verb, result.Status())
		}
		sim = result.Next
		return result
	}
	create := func(names ...string) {
		t.Helper()
		for _, name := range names {
			do(rest.Request{Verb: rest.Create, Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","labels":{"in":"pages"}}}`)})
		}
	}
	page := func(next string) (name, more string) {
		t.Helper()
		result := do(rest.Request{Verb: rest.DeleteCollection, Query: url.Values{"limit": {"1"}, "labelSelector": {"in=pages"}, "continue": {next}}})
		list, err := result.Object.(*unstructured.Unstructured).ToList()
		if err != nil || len(list.Items) != 1 {
			t.Fatalf("%d items, %v; want 1", len(list.Items), err)
		}
		return list.Items[0].GetName(), list.GetContinue()
	}
	create("a", "c", "e")
	first, next := page("")
	create("b", "d")
	second, next := page(next)
	third, next := page(next)
	if got := first + second + third; got != "ace" || next != "" {
		t.Errorf("the pages are %s, followed by %q; want ace and nothing", got, next)
	}
	if first, _ = page(""); first != "b" {
		t.Errorf("a new list begins with %s, want b", first)
	}
}
