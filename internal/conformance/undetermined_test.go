package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where the server's behavior is undetermined, it may have done anything that admsim says is possible, and nothing
// else. Elsewhere it must have done what admsim does.
func TestUndetermined(t *testing.T) {
	const (
		romeo = `admission webhook "romeo.example.com" denied the request: romeo says no`
		papa  = `Internal error occurred: failed calling webhook "papa.example.com": received invalid webhook response: validating webhook may not return response.patch`
	)
	r := named(t, recorded, "random-chain-003")
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

// Up to 1.33 a server draws the spaces with which lines of differences start, and admsim's are usual. Other non-breaking
// spaces are the client's.
func TestSpacesOfDifferences(t *testing.T) {
	const (
		usual       = "spec is immutable:   core.Spec{\n- \tA: 1,\n+ \tA: 2,\n  \t... // 2 identical fields\n  }\n"
		nonBreaking = "spec is immutable: \u00a0\u00a0core.Spec{\n-\u00a0\tA: 1,\n+\u00a0\tA: 2,\n\u00a0\u00a0\t... // 2 identical fields\n\u00a0\u00a0}\n"
	)
	for _, c := range []struct {
		release, recorded string
		agrees            bool
	}{
		{"1.30", usual, true},
		{"1.30", nonBreaking, true},
		{"1.30", strings.Replace(nonBreaking, "A: 1", "A:\u00a01", 1), false},
		{"1.30", strings.Replace(nonBreaking, "A: 1", "A: 3", 1), false},
		{"1.34", nonBreaking, false},
		{"1.14", nonBreaking, false},
	} {
		r := &Recording{Kubernetes: c.release}
		diff := Compare(r, &Request{Expect: map[string]any{"body": map[string]any{"message": c.recorded}}}, map[string]any{"body": map[string]any{"message": usual}})
		if (diff == "") != c.agrees {
			t.Errorf("%s: %q agrees: %t, want %t", c.release, c.recorded, diff == "", c.agrees)
		}
	}
}

// The last line has the counts and nothing else: other programs read it.
func TestReportEnds(t *testing.T) {
	var text strings.Builder
	if !Report(&text, []Outcome{{Recording: &Recording{ID: "a-1"}, Undetermined: true}, {Recording: &Recording{ID: "a-2"}}}) {
		t.Error("Report() = false for two requests that agree")
	}
	if !strings.HasSuffix(text.String(), ": 1\nconformance: 2 of 2 requests agree\n") {
		t.Errorf("the report ends with:\n%s", text.String())
	}
}

// The rules that several bindings grant may come in any order of the bindings, but the rules of one stay together.
func TestRulesInAnyOrder(t *testing.T) {
	r := named(t, filepath.Join(recorded, "releases", "1.37"), "authorization-reviews")
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

// named returns a recording, of which a test may replace parts.
func named(t *testing.T, dir, id string) Recording {
	t.Helper()
	recordings := all(t, dir)
	i := slices.IndexFunc(recordings, func(r Recording) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("%s has no recording %s", dir, id)
	}
	return recordings[i]
}

// answered returns admsim's answer to the only request of a recording, in the recording's form.
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

// The results of policies may come in any order, but those of one policy stay together. Warnings, audit annotations and
// the denial come in the same order.
func TestPoliciesInAnyOrder(t *testing.T) {
	r := named(t, filepath.Join(recorded, "releases", "1.37"), "vap-actions")
	r.Configs = nil
	for _, policy := range []string{"a", "b"} {
		r.Configs = append(r.Configs, json.RawMessage(fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
			"metadata": {"name": %[1]q}, "spec": {"validations": [{"expression": "false", "message": "%[1]s says no"}],
			"matchConstraints": {"resourceRules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]}}}`, policy)))
		for binding, actions := range map[string]string{"audit": `"Audit"`, "deny": `"Deny"`, "more": `"Audit", "Warn"`, "warn": `"Warn"`} {
			r.Configs = append(r.Configs, json.RawMessage(fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
				"metadata": {"name": "%[1]s-%[2]s"}, "spec": {"policyName": %[1]q, "validationActions": [%[3]s]}}`, policy, binding, actions)))
		}
	}
	r.Requests = []Request{{
		ID: "create", Verb: "create", Version: "v1", Resource: "configmaps", Namespace: "vap-actions",
		Object: json.RawMessage(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}`),
	}}
	given := answered(t, &r)
	const (
		warnings = "warnings"
		failures = "validation.policy.admission.k8s.io/validation_failure"
	)
	order := func(expect map[string]any, in string, order ...int) {
		t.Helper()
		annotations, _ := expect["auditAnnotations"].(map[string]any)
		var list []json.RawMessage
		if in == warnings {
			text, err := json.Marshal(expect[warnings])
			if err == nil {
				err = json.Unmarshal(text, &list)
			}
			if err != nil {
				t.Fatal(err)
			}
		} else if err := json.Unmarshal([]byte(annotations[failures].(string)), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != 4 {
			t.Fatalf("%s: %s", in, list)
		}
		ordered := make([]json.RawMessage, len(order))
		for i, at := range order {
			ordered[i] = list[at]
		}
		text, err := json.Marshal(ordered)
		if err != nil {
			t.Fatal(err)
		}
		if in == failures {
			annotations[failures] = string(text)
			return
		}
		var all []any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		expect[warnings] = all
	}
	denied := func(expect map[string]any, by string) {
		body := expect["body"].(map[string]any)
		text := `configmaps "settings" is forbidden: ValidatingAdmissionPolicy '` + by + `' with binding '` + by + `-deny' denied request: ` + by + ` says no`
		body["message"] = text
		body["details"].(map[string]any)["causes"].([]any)[0].(map[string]any)["message"] = text[strings.Index(text, "Validating"):]
	}
	for _, c := range []struct {
		why    string
		change func(expect map[string]any)
		want   bool
	}{
		{"the order of names", func(map[string]any) {}, true},
		{"b first, everywhere", func(e map[string]any) {
			denied(e, "b")
			order(e, warnings, 2, 3, 0, 1)
			order(e, failures, 2, 3, 0, 1)
		}, true},
		{"the bindings of a in another order", func(e map[string]any) {
			order(e, warnings, 1, 0, 2, 3)
			order(e, failures, 1, 0, 2, 3)
		}, true},
		{"b denies, but a warns first", func(e map[string]any) {
			denied(e, "b")
			order(e, failures, 2, 3, 0, 1)
		}, false},
		{"b denies, but a is audited first", func(e map[string]any) {
			denied(e, "b")
			order(e, warnings, 2, 3, 0, 1)
		}, false},
		{"warnings of a around those of b", func(e map[string]any) { order(e, warnings, 0, 2, 3, 1) }, false},
		{"one warning missing", func(e map[string]any) { e[warnings] = e[warnings].([]any)[1:] }, false},
	} {
		expect := clone(given).(map[string]any)
		c.change(expect)
		r.Requests[0].Expect = expect
		if got := playMocked(t.Context(), &r)[0]; got.Agrees() != c.want {
			t.Errorf("%s agrees: %t, want %t\n%s", c.why, got.Agrees(), c.want, got.Diff)
		}
	}
}

// Each pod of a collection is admitted two or three times, independently of the others. Warnings of webhooks that
// answer at the same moment come in any order.
func TestCollectionInAnyCache(t *testing.T) {
	r := named(t, filepath.Join(recorded, "releases", "1.37"), "vap-actions")
	r.Configs = []json.RawMessage{json.RawMessage(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "hooks"},
		"webhooks": [` + hook("one") + `, ` + hook("two") + `]}`)}
	r.Webhooks = map[string][]json.RawMessage{
		"hooks/one.example.com": {json.RawMessage(`{"response": {"allowed": true, "warnings": ["one", "more"]}}`)},
		"hooks/two.example.com": {json.RawMessage(`{"response": {"allowed": true, "warnings": ["two"]}}`)},
	}
	for _, name := range []string{"a", "b", "c"} {
		r.Cluster = append(r.Cluster, json.RawMessage(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "vap-actions", "uid": "00000000-0000-0000-0000-000000000001"},
			"spec": {"containers": [{"name": "c", "image": "i"}]}}`, name)))
	}
	r.Requests = []Request{{ID: "delete", Verb: "deletecollection", Version: "v1", Resource: "pods", Namespace: "vap-actions"}}
	given := answered(t, &r)
	if n := len(given["calls"].([]any)); n != 18 {
		t.Fatalf("%d calls, want two webhooks called three times for each of three pods", n)
	}
	// without leaves out the calls at these places. Calls are grouped by webhook, then by pod.
	without := func(places ...int) func(map[string]any) {
		return func(e map[string]any) {
			var left []any
			for i, call := range e["calls"].([]any) {
				if !slices.Contains(places, i) {
					left = append(left, call)
				}
			}
			e["calls"] = left
		}
	}
	for _, c := range []struct {
		why    string
		change func(expect map[string]any)
		want   bool
	}{
		{"all three times", func(map[string]any) {}, true},
		{"b twice", without(4, 13), true},
		{"a and c twice", without(1, 7, 10, 16), true},
		{"a once", without(0, 1, 9, 10), false},
		{"b twice, but the second webhook three times", without(4), false},
		{"b twice, but not as it was marked last", without(5, 14), false},
		{"the second webhook warns first", func(e map[string]any) { e["warnings"] = []any{"two", "one", "more"} }, true},
		{"a webhook warns in another order", func(e map[string]any) { e["warnings"] = []any{"more", "one", "two"} }, false},
	} {
		expect := clone(given).(map[string]any)
		c.change(expect)
		r.Requests[0].Expect = expect
		if got := playMocked(t.Context(), &r)[0]; got.Agrees() != c.want {
			t.Errorf("%s agrees: %t, want %t\n%s", c.why, got.Agrees(), c.want, got.Diff)
		}
	}
}

func hook(name string) string {
	return `{"name": "` + name + `.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
		"rules": [{"operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]}`
}
