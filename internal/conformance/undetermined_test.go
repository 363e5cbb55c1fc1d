package conformance

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where the server does not determine what it does, it may have done any of what admsim says is possible, and
// nothing else; elsewhere it may only have done what admsim does.
func TestUndetermined(t *testing.T) {
	const (
		romeo = `admission webhook "romeo.example.com" denied the request: romeo says no`
		papa  = `Internal error occurred: failed calling webhook "papa.example.com": received invalid webhook response: validating webhook may not return response.patch`
	)
	recordings, err := Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(recordings, func(r Recording) bool { return r.ID == "random-chain-003" })
	r := recordings[at]
	agrees := func(id string, expect map[string]any) bool {
		t.Helper()
		changed := r
		changed.Requests = slices.Clone(r.Requests)
		i := slices.IndexFunc(r.Requests, func(q Request) bool { return q.ID == id })
		changed.Requests[i].Expect = expect
		return playMocked(context.Background(), &changed)[i].Agrees()
	}
	answer := func(id string, change func(expect, body map[string]any)) map[string]any {
		i := slices.IndexFunc(r.Requests, func(q Request) bool { return q.ID == id })
		expect := clone(r.Requests[i].Expect).(map[string]any)
		change(expect, expect["body"].(map[string]any))
		return expect
	}
	asRomeo := func(expect, body map[string]any) {
		expect["code"], body["code"], body["message"] = 422.0, 422.0, romeo
		delete(body, "details")
		delete(body, "reason")
	}
	for _, c := range []struct {
		why    string
		change func(expect, body map[string]any)
		want   bool
	}{
		{"the second of two webhooks, as recorded", func(_, body map[string]any) {
			if body["message"] != papa {
				t.Fatalf("the server said %q", body["message"])
			}
		}, true},
		{"the first", asRomeo, true},
		{"the first, with the code of the second", func(expect, body map[string]any) {
			asRomeo(expect, body)
			expect["code"] = 500.0
		}, false},
		{"a webhook that did not refuse", func(_, body map[string]any) {
			body["message"] = strings.Replace(papa, "papa", "quebec", 1)
		}, false},
		{"the second, with other annotations", func(expect, _ map[string]any) { delete(expect, "auditAnnotations") }, false},
		{"the second, with fewer calls", func(expect, _ map[string]any) {
			expect["calls"] = expect["calls"].([]any)[1:]
		}, false},
	} {
		if got := agrees("c2", answer("c2", c.change)); got != c.want {
			t.Errorf("%s agrees: %t, want %t", c.why, got, c.want)
		}
	}
}

// The last line counts, and says nothing else: others read it.
func TestReportEnds(t *testing.T) {
	var text strings.Builder
	if !Report(&text, []Outcome{{Recording: &Recording{ID: "a-1"}, Undetermined: true}, {Recording: &Recording{ID: "a-2"}}}) {
		t.Error("two requests that agree do not")
	}
	if !strings.HasSuffix(text.String(), ": 1\nconformance: 2 of 2 requests agree\n") {
		t.Errorf("it ends with:\n%s", text.String())
	}
}

// The rules that several bindings grant may come in any order of the bindings, but those of one stay together.
func TestRulesInAnyOrder(t *testing.T) {
	recordings, err := Load(filepath.Join(recorded, "releases", "1.37"))
	if err != nil {
		t.Fatal(err)
	}
	r := recordings[slices.IndexFunc(recordings, func(r Recording) bool { return r.ID == "authorization-reviews" })]
	r.Requests = []Request{{
		ID: "rules", Verb: "create", Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectrulesreviews",
		User: "somebody", Groups: []string{"system:authenticated"},
		Object: json.RawMessage(`{"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": "default"}}`),
	}}
	given := answered(t, &r)
	change := func(list string, change func(rules []any)) map[string]any {
		expect := clone(given).(map[string]any)
		change(expect["body"].(map[string]any)["status"].(map[string]any)[list].([]any))
		return expect
	}
	for _, c := range []struct {
		why                string
		expect             map[string]any
		agrees, alternates bool
	}{
		{"the order of names", given, true, false},
		{"the bindings in the opposite order", change("nonResourceRules", slices.Reverse), true, true},
		{"other rules", change("nonResourceRules", func(rules []any) { rules[0] = rules[1] }), false, false},
		{"the rules of one binding in the opposite order", change("resourceRules", slices.Reverse), false, false},
	} {
		r.Requests[0].Expect = c.expect
		got := playMocked(t.Context(), &r)[0]
		if got.Agrees() != c.agrees || got.Undetermined != c.alternates {
			t.Errorf("%s agrees: %t (%t), want %t (%t)\n%s", c.why, got.Agrees(), got.Undetermined, c.agrees, c.alternates, got.Diff)
		}
	}
}

// answered is what admsim answers to the only request of a recording, in its form.
func answered(t *testing.T, r *Recording) map[string]any {
	t.Helper()
	backends, err := backendsOf(r)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := world(t.Context(), r, webhooks{backends: backends, clientConfig: mockedAt(r)})
	if err != nil {
		t.Fatal(err)
	}
	req, err := r.Requests[0].request(sim)
	if err != nil {
		t.Fatal(err)
	}
	result, err := sim.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := observed(sim.View().Types(), result.Response, r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got) // a recording is JSON
	if err != nil {
		t.Fatal(err)
	}
	var expect map[string]any
	if err := json.Unmarshal(text, &expect); err != nil {
		t.Fatal(err)
	}
	return expect
}
