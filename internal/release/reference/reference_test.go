package reference

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/admsim/admsim/internal/release/upstream"
)

// The go.mod of a release names folders for its staging modules; ours names what was published.
func TestGoMod(t *testing.T) {
	got := goMod(&upstream.Release{
		Version: "1.37.2", Go: "1.26.0", Godebug: map[string]string{"default": "go1.26"},
		Require: []upstream.Module{{Path: "github.com/a/b", Version: "v1.0.0"}, {Path: "k8s.io/api", Version: "v0.37.2", Indirect: true}},
		Staging: map[string]string{"k8s.io/api": "v0.37.2"},
	})
	const want = `module reference

go 1.26.0

godebug default=go1.26
require (
	k8s.io/kubernetes v1.37.2
	github.com/a/b v1.0.0
	k8s.io/api v0.37.2 // indirect
)

replace (
	k8s.io/api => k8s.io/api v0.37.2
)
`
	if got != want {
		t.Errorf("goMod is\n%s\nwant\n%s", got, want)
	}
}

// An event is found by its id, whenever its line is complete, without what is not of admission.
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
