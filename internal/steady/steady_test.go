package steady_test

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/steady"
)

func TestValue(t *testing.T) {
	for _, tt := range []struct{ reason, value, want string }{
		{"what a server makes up", `{"metadata":{"uid":"x","resourceVersion":"417","creationTimestamp":"2024-05-05T05:05:05Z","managedFields":[{}]}}`,
			`{"metadata":{"uid":"00000000-0000-0000-0000-000000000001","resourceVersion":"1","creationTimestamp":"2026-01-01T00:00:00Z"}}`},
		{"what is not set stays so", `{"uid":"","creationTimestamp":null}`, `{"uid":"","creationTimestamp":null}`},
		{"a uid within a text", `["uid 0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0 is gone"]`, `["uid 00000000-0000-0000-0000-000000000001 is gone"]`},
		{"a volume of a token", `{"name":"kube-api-access-x7k2p","mine":"kube-api-access-longer"}`, `{"name":"kube-api-access-xxxxx","mine":"kube-api-access-longer"}`},
		{"the causes of a Status, and its message", `{"kind":"Status","message":"Pod \"p\" is invalid: [b: two, a: one]","details":{"causes":[{"field":"b","message":"two"},{"field":"a","message":"one"}]}}`,
			`{"kind":"Status","message":"Pod \"p\" is invalid: [a: one, b: two]","details":{"causes":[{"field":"a","message":"one"},{"field":"b","message":"two"}]}}`},
		{"a message that says more stays", `{"kind":"Status","message":"x is invalid: [b: two, a: one, more]","details":{"causes":[{"field":"b","message":"two"},{"field":"a","message":"one"}]}}`,
			`{"kind":"Status","message":"x is invalid: [b: two, a: one, more]","details":{"causes":[{"field":"a","message":"one"},{"field":"b","message":"two"}]}}`},
		{"causes of what is no Status", `{"details":{"causes":[{"field":"b"},{"field":"a"}]}}`, `{"details":{"causes":[{"field":"b"},{"field":"a"}]}}`},
	} {
		var value, want any
		if err := json.Unmarshal([]byte(tt.value), &value); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, steady.Value(value)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// A time during the run is replaced by a fixed time; a time on another day, which a client may have sent, stays.
func TestMoments(t *testing.T) {
	began := time.Date(2027, 12, 31, 23, 59, 0, 0, time.FixedZone("east", 3600))
	for text, want := range map[string]string{
		"2027-12-31T22:59:01Z":                  "2026-01-01T00:00:00Z",
		"since 2028-01-01T00:00:00Z, as stated": "since 2026-01-01T00:00:00Z, as stated",
		"2027-12-30T22:59:01Z":                  "2027-12-30T22:59:01Z",
		"2027-12-31T22:59:01.000001Z":           "2027-12-31T22:59:01.000001Z",
	} {
		if got := steady.Text(text, steady.Moments(began)); got != want {
			t.Errorf("%s is written as %s, want %s", text, got, want)
		}
	}
}

func TestFurtherWords(t *testing.T) {
	port := steady.Word{Hint: ":", Pattern: regexp.MustCompile(`:\d+`), With: ":PORT"}
	if got, want := steady.Text("dial 127.0.0.1:40123: stream ID 17;", port), "dial 127.0.0.1:PORT: stream ID 1;"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
