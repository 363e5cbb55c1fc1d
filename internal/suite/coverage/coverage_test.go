package coverage_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/suite/coverage"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/traffic/traffictest"
)

// An archive has a world and requests; want lists everything that can be reached, with how often it was.
func TestReach(t *testing.T) {
	golden.Folders(t, "testdata/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		release := strings.TrimSpace(string(content(files, "release")))
		return covered(t, string(content(files, "world.yaml")), release)
	})
}

func content(files fstest.MapFS, name string) []byte {
	if f := files[name]; f != nil {
		return f.Data
	}
	return nil
}

func covered(t *testing.T, text, release string) string {
	t.Helper()
	w := traffictest.Read(t, text)
	if release != "" {
		w.Release = release
		var err error
		if w.World, err = w.Make(nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	l := coverage.NewLedger()
	hooks := l.Declare(w.Simulator())
	for _, answer := range w.Answers(t) {
		l.Reach(hooks, answer)
	}
	var b strings.Builder
	for _, c := range l.Items() {
		fmt.Fprintf(&b, "%d %s %s %s\n", c.Times, c.Source.String(), c.Part, strings.Join(strings.Fields(c.Of+" "+c.What+" "+c.Branch), " "))
		if why := l.Skipped(c); c.Part == outcome.WebhookPart && why != "" {
			fmt.Fprintf(&b, "    skipped last: %s\n", why)
		}
	}
	for _, p := range l.Plugins() {
		if p.Decided > 0 {
			fmt.Fprintf(&b, "plugin %s decided %d of %d times\n", p.Name, p.Decided, p.Ran)
		}
	}
	return b.String()
}

// Worlds with the same manifests share the parts that can be reached. An answer counts in the world that gave it.
func TestWorldsTogether(t *testing.T) {
	one, other := traffictest.Read(t, traffictest.Mesh+traffictest.Pod), traffictest.Read(t, traffictest.Mesh)
	l := coverage.NewLedger()
	hooks := l.Declare(one.Simulator())
	n := len(l.Items())
	l.Declare(other.Simulator())
	if len(l.Items()) != n {
		t.Errorf("%d parts of two worlds with the same manifests, %d of one", len(l.Items()), n)
	}
	for _, answer := range one.Answers(t) {
		l.Reach(nil, answer) // the world could not be made
		l.Reach(hooks, answer)
	}
	times := map[string]int{}
	for _, c := range l.Items() {
		if c.Part == outcome.WebhookPart {
			times[c.Of] = c.Times
		}
	}
	if diff := cmp.Diff(map[string]int{"mesh/sidecar.mesh.example": 1, "guard/pods.guard.example": 1}, times); diff != "" {
		t.Errorf("webhooks called (-want +got):\n%s", diff)
	}
	for source := range l.Sources() {
		if !strings.HasPrefix(source, "world.yaml:") {
			t.Errorf("%q has parts that can be reached", source)
		}
	}
}
