package replay

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/pkg/simulator"
)

// A panic while the output for one record is made costs only that record, with one worker and with several.
func TestBugCostsOneRecord(t *testing.T) {
	event := func(name string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"` + name + `","stage":"ResponseComplete",` +
			`"requestURI":"/api/v1/namespaces/default/configmaps","verb":"create","user":{"username":"a"},` +
			`"objectRef":{"resource":"configmaps","namespace":"default","name":"` + name + `","apiVersion":"v1"},"responseStatus":{"code":201},` +
			`"requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default"}},` +
			`"responseObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default"}}}` + "\n"
	}
	log := event("a") + event("bad") + event("c")
	source := recording.Source{Name: "x.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
	for _, workers := range []int{1, 3} {
		var made []string
		var summary lines.Summary
		o := Options{Workers: workers, Simulator: simulator.Options{}, Make: func(l *lines.Line, a *lines.Account) (any, error) {
			if a != nil && l.Name == "bad" {
				panic("no such row")
			}
			return l.Name, nil
		}}
		err := Run(context.Background(), []recording.Source{source}, o, func(l *lines.Line, one any) error {
			made = append(made, fmt.Sprintf("%v %v", one, l.Reason != nil && l.Reason.Code == recording.BugInAdmsim))
			summary.Add(l)
			return nil
		})
		if err != nil {
			t.Fatalf("Run with %d workers: %v", workers, err)
		}
		if len(made) != 3 || made[0] != "a false" || made[1] != "bad true" || made[2] != "c false" {
			t.Errorf("with %d workers the lines are %q", workers, made)
		}
		if summary.CannotTell[string(recording.BugInAdmsim)] != 1 || len(summary.Bugs) != 1 || !strings.Contains(summary.Bugs[0].Why, "no such row at internal/replay/bug_test.go") {
			t.Errorf("with %d workers the summary has %v, %v", workers, summary.CannotTell, summary.Bugs)
		}
	}
}
