package recording

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An event that is written as a review, and read again, asks the same of admission, and
// remembers how it ended and what webhooks did.
func TestLinesAreReadBack(t *testing.T) {
	var lines bytes.Buffer
	var written []*Record
	for _, r := range read(t, Options{}, sample) {
		l, why := LineOf(r)
		if why.Code != "" {
			continue
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(text, '\n'))
		written = append(written, r)
	}
	back := readAll(t, []Source{source("lines.jsonl", lines.String())})
	if len(back) != len(written) || len(back) < 200 {
		t.Fatalf("%d lines were read of %d written", len(back), len(written))
	}
	for i, r := range back {
		from := written[i]
		if r.Form != Recorded || !r.Runs() || r.Webhook != from.Position.String() {
			t.Fatalf("%s: %s %s", from.Position, r.Form, r.Skip)
		}
		if diff := cmp.Diff(about(from), about(r)); diff != "" {
			t.Errorf("%s (-event +line):\n%s", from.Position, diff)
		}
		if object := r.Review.Object.Raw; from.Verb == "create" && from.Subresource == "" && !sameJSON(object, from.Request.Body) {
			t.Errorf("%s: object %s, was %s", from.Position, object, from.Request.Body)
		}
		if from.Verb != "create" && !sameJSON(r.Review.OldObject.Raw, from.Old.Object) {
			t.Errorf("%s: another old object", from.Position)
		}
	}
}

// about is what a record and the one read back have in common.
func about(r *Record) map[string]any {
	verb := map[string]string{"patch": "update"}[r.Verb]
	if verb == "" {
		verb = r.Verb
	}
	return map[string]any{
		"verb": verb, "key": r.Key(), "subresource": r.Subresource, "user": r.User, "id": r.ID,
		"time": r.Time.UTC(), "latency": r.Latency, "code": r.Answer.Code, "status": r.Answer.Status,
		"annotations": r.Answer.Annotations, "calls": r.Calls,
	}
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}
