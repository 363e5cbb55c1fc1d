package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/admsim/admsim/internal/golden"
)

const (
	recorded  = "../../testdata/recorded"
	fidelity  = "../../docs/fidelity.md"
	tableFrom = "<!-- score: made by make update -->\n"
	tableTo   = "<!-- end of score -->\n"
)

// TestRecorded is a ratchet: each recorded request agrees with the server or is listed as a known difference. A listed
// request that agrees has to be removed from the list. Each release has a folder, and a column in the score.
func TestRecorded(t *testing.T) {
	folders, err := filepath.Glob(recorded + "/releases/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings of other releases: %v", err)
	}
	if testing.Short() {
		folders = nil
	}
	var outcomes []Outcome
	played := 0
	for _, dir := range append([]string{recorded}, folders...) {
		name := filepath.Base(dir)
		if dir == recorded {
			name = UnnamedRelease
		}
		t.Run(name, func(t *testing.T) {
			outcomes = append(outcomes, ratchet(t, dir)...)
			played++
		})
	}
	if played < len(folders)+1 || testing.Short() {
		return // only some were played
	}
	if golden.Updating() {
		writeTable(t, outcomes)
	}
	checkTable(t, outcomes)
}

// The servers had the modes Node and RBAC. Requests of users who may not do everything get the recorded answers when
// admsim has these modes, too.
func TestAuthorized(t *testing.T) {
	byUsers := slices.DeleteFunc(all(t, recorded), func(r Recording) bool {
		return !slices.ContainsFunc(r.Requests, func(r Request) bool { return r.User != "" })
	})
	if len(byUsers) < 10 {
		t.Fatalf("only %d recordings name a user", len(byUsers))
	}
	for i := range byUsers {
		byUsers[i].Authorization = []string{"Node", "RBAC"}
	}
	for _, o := range PlayAll(context.Background(), byUsers) {
		if !o.Agrees() {
			t.Errorf("%s differs from the server (-server +admsim):\n%s%s", o.Name(), o.Diff, o.Trace)
		}
	}
}

func ratchet(t *testing.T, dir string) []Outcome {
	t.Helper()
	recordings := load(t, dir)
	outcomes := PlayAll(context.Background(), recordings)
	notYet := dir + "/not-yet.txt"
	if golden.Updating() {
		writeList(t, notYet, outcomes)
	}
	listed := listIn(t, notYet)
	for _, o := range outcomes {
		switch {
		case o.Agrees() && listed[o.Name()]:
			t.Errorf("%s agrees with the server now: remove it from %s (make update)", o.Name(), notYet)
		case !o.Agrees() && !listed[o.Name()]:
			t.Errorf("%s differs from the server (-server +admsim):\n%s%s", o.Name(), o.Diff, o.Trace)
		}
		delete(listed, o.Name())
	}
	if testing.Short() {
		return outcomes // the listed requests were not played
	}
	for name := range listed {
		t.Errorf("%s lists %s, which is no recorded request", notYet, name)
	}
	return outcomes
}

// all returns the recordings in a folder, which are read once for all tests. A test may change the list, but not what is
// in a recording.
func all(t *testing.T, dir string) []Recording {
	t.Helper()
	reading.Lock()
	defer reading.Unlock()
	if read[dir] == nil {
		var err error
		if read[dir], err = Load(dir); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Clone(read[dir])
}

var (
	reading sync.Mutex
	read    = map[string][]Recording{}
)

// load returns the recordings in a folder. A short run, which may use -race, gets every eighth one of the quick ones.
func load(t *testing.T, dir string) []Recording {
	t.Helper()
	recordings := all(t, dir)
	if testing.Short() {
		n := 0
		recordings = slices.DeleteFunc(quick(recordings), func(Recording) bool {
			n++
			return n%8 != 1
		})
	}
	return recordings
}

// quick leaves out recordings whose expressions take nearly as long as a server allows, which is seconds. Playing them
// once is enough.
func quick(recordings []Recording) []Recording {
	return slices.DeleteFunc(recordings, func(r Recording) bool { return r.ID == "vap-cost" || r.ID == "api-rules-defaults" })
}

func listIn(t *testing.T, notYet string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(notYet)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			listed[name] = true
		}
	}
	return listed
}

func writeList(t *testing.T, notYet string, outcomes []Outcome) {
	t.Helper()
	var names []string
	for _, o := range outcomes {
		if !o.Agrees() {
			names = append(names, o.Name())
		}
	}
	slices.Sort(names)
	text := "# Recorded requests whose answer is not the server's yet. make update rewrites this list;\n" +
		"# it may only get shorter.\n" + strings.Join(names, "\n") + "\n"
	if err := os.WriteFile(notYet, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// splitDocument splits docs/fidelity.md into the text before the score, the score, and the text after it.
func splitDocument(t *testing.T) (before, table, after string) {
	t.Helper()
	text, err := os.ReadFile(fidelity)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), tableFrom)
	table, after, ends := strings.Cut(rest, tableTo)
	if !found || !ends {
		t.Fatalf("%s has no place for the score", fidelity)
	}
	return before, table, after
}

func writeTable(t *testing.T, outcomes []Outcome) {
	t.Helper()
	before, _, after := splitDocument(t)
	text := fmt.Sprint(before, tableFrom, Table(outcomes), tableTo, after)
	if err := os.WriteFile(fidelity, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func checkTable(t *testing.T, outcomes []Outcome) {
	t.Helper()
	if _, table, _ := splitDocument(t); table != Table(outcomes) {
		t.Errorf("the score in %s is not today's: make update", fidelity)
	}
}
