package recording

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lineTexts returns the lines of records, by the position of the event.
func lineTexts(t *testing.T, records []*Record) (text string, written []*Record) {
	t.Helper()
	var lines bytes.Buffer
	for _, r := range records {
		l, why := LineOf(r)
		if l == nil {
			t.Fatalf("%s: no line: %s", r.Position, why)
		}
		if (l.Review == nil) != (why.Code != "") {
			t.Fatalf("%s: %s, and the review is %v", r.Position, why, l.Review)
		}
		one, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(one, '\n'))
		written = append(written, r)
	}
	return lines.String(), written
}

// An event that is written as a line and read again is the same in everything but its position.
func TestLinesAreReadBack(t *testing.T) {
	text, written := lineTexts(t, read(t, Options{}, sample))
	back := readAll(t, []Source{source("lines.jsonl", text)})
	if len(back) != len(written) || len(back) < 200 {
		t.Fatalf("%d lines were read of %d written", len(back), len(written))
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(Record{}, "Position"), cmpopts.IgnoreUnexported(Record{}),
		cmp.AllowUnexported(Effect{}), cmp.Comparer(sameJSON),
	}
	for i, r := range back {
		if r.event == nil {
			t.Errorf("%s: without the event", r.Position)
		}
		if diff := cmp.Diff(written[i], r, same); diff != "" {
			t.Errorf("%s (-event +line):\n%s", written[i].Position, diff)
		}
	}
}

// A line needs no other lines to know the object before, needs no body in the event when the review has it, and stays
// skipped if it was skipped when it was written.
func TestLinesAlone(t *testing.T) {
	const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"a1","stage":"ResponseComplete",` +
		`"requestURI":"/api/v1/namespaces/shop/configmaps/a","verb":"update","user":{"username":"alice"},"objectRef":{"resource":"configmaps","namespace":"shop","name":"a","apiVersion":"v1"},` +
		`"responseStatus":{"code":200},"responseObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"shop","uid":"1","resourceVersion":"8"}}}`
	const review = `{"request":{"uid":"a1","operation":"UPDATE","resource":{"version":"v1","resource":"configmaps"},"object":{"data":{"k":"new"}},"oldObject":{"data":{"k":"old"}}}}`
	records := readAll(t, []Source{source("lines.jsonl", `{"v":1,"review":`+review+`,"event":`+event+"}\n"+
		`{"v":1,"skip":{"code":"filtered","detail":"user"},"event":`+event+"}\n")})
	r := records[0]
	if !r.Runs() || r.Request == nil || r.Review != nil || r.Form != Audit {
		t.Fatalf("the record is %s: %s", r.Form, r.Skip)
	}
	if got := string(r.Request.Body); got != `{"data":{"k":"new"}}` {
		t.Errorf("the body is %s", got)
	}
	if r.Old.Knowledge != Exists || string(r.Old.Object) != `{"data":{"k":"old"}}` {
		t.Errorf("the object before is %s: %s", r.Old.Knowledge, r.Old.Object)
	}
	if len(r.Unknown) != 1 || r.Unknown[0].Code != BodyDecoded {
		t.Errorf("unknown: %v", r.Unknown)
	}
	if want := (Reason{Filtered, "user"}); records[1].Skip != want || len(records[1].Effects) != 1 {
		t.Errorf("skipped for %s, with %d effects", records[1].Skip, len(records[1].Effects))
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return len(a) == 0 && len(b) == 0 || json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}
