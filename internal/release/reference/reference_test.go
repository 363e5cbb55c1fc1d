package reference

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// An event is found by its ID as soon as its line is complete. Annotations that are not about admission are left out.
func TestAuditLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	write := func(text string) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	log := &AuditLog{file: name}
	write(`{"auditID":"a","stage":"ResponseComplete","annotations":{"authorization.k8s.io/decision":"allow","apiserver.latency.k8s.io/total":"1s"}}
{"auditID":"b","stage":"ResponseStarted","annotations":{"x/y":"early"}}
{"auditID":"b","stage":"ResponseComplete",`)
	if got, err := log.Annotations(t.Context(), "a"); err != nil || got != nil {
		t.Errorf("Annotations(a) = %v, %v; want none", got, err)
	}
	write(`"annotations":{"x/y":"z","authentication.k8s.io/legacy":"1"}}` + "\n")
	if got, err := log.Annotations(t.Context(), "b"); err != nil || !reflect.DeepEqual(got, map[string]string{"x/y": "z"}) {
		t.Errorf("Annotations(b) = %v, %v; want x/y: z", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Annotations(ended, "never"); err == nil {
		t.Error("Annotations of an event that never comes gave no error")
	}
}
