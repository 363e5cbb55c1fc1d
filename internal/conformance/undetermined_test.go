package conformance

import (
	"context"
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
