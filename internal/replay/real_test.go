package replay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/answers"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// asRecorded returns the options for a new cluster whose webhooks answer as recorded.
func asRecorded() Options {
	release, err := kubeversion.Parse("1.36") // the server whose log is in testdata
	if err != nil {
		panic(err)
	}
	return Options{Simulator: simulator.Options{
		Release:  release,
		State:    simulator.Bootstrap(),
		Backends: func(string, string) dispatch.Backend { return answers.Recorded },
	}}
}

func linesOf(t *testing.T, paths []string, o Options) (all []*lines.Line) {
	t.Helper()
	sources, err := recording.Find(paths, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), sources, o, func(l *lines.Line, _ any) error { all = append(all, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// Every event in the log of a real server is accounted for, and all requests that run agree with the server's answers.
func TestRealLog(t *testing.T) {
	var sum lines.Summary
	for _, l := range linesOf(t, []string{"testdata/webhooks.log.gz"}, asRecorded()) {
		sum.Add(l)
		if l.Outcome == lines.Differs || l.Outcome == lines.CannotTell {
			t.Logf("%s %s %s %s/%s: %s", l.Position(), l.Outcome, l.Verb, l.Namespace, l.Name, whyOf(l))
		}
	}
	if sum.Total != 1324 || sum.Ran()+sum.Outcomes[lines.Skipped]+sum.Outcomes[lines.CannotTell] != sum.Total {
		t.Errorf("of %d events there are %v, want 1324 accounted for", sum.Total, sum.Outcomes)
	}
	if sum.Ran() < 840 || sum.Outcomes[lines.Differs] > 0 {
		t.Errorf("%d of %d agree, want all of at least 840", sum.Outcomes[lines.Agrees], sum.Ran())
	}
	t.Logf("%v, skipped %v", sum.Outcomes, sum.Skipped)
}

func whyOf(l *lines.Line) string {
	if l.Reason != nil {
		return l.Reason.Detail
	}
	text, _ := json.Marshal(l.Differences)
	return string(text)
}

// The lines do not depend on the number of workers or on whether a run was resumed, and the lines of all shards
// together are those of the whole.
func TestWorkersShardsResumed(t *testing.T) {
	log := []string{"testdata/webhooks.log.gz"}
	want := texts(linesOf(t, log, asRecorded()))

	o := asRecorded()
	o.Workers = 3
	if diff := cmp.Diff(want, texts(linesOf(t, log, o))); diff != "" {
		t.Errorf("three workers give other lines (-one +three):\n%s", diff)
	}

	half := linesOf(t, log, asRecorded())[:700]
	o = asRecorded()
	at := half[len(half)-1].Position()
	o.After = &at
	if diff := cmp.Diff(want, append(texts(half), texts(linesOf(t, log, o))...)); diff != "" {
		t.Errorf("a resumed run gives other lines (-whole +resumed):\n%s", diff)
	}

	var parts []lines.Part
	for i := range 8 {
		o := asRecorded()
		o.Filter.Shard = recording.Shard{Index: i, Of: 8}
		part := texts(linesOf(t, log, o))
		end, _ := json.Marshal(map[string]lines.End{"end": lines.EndOf(o.Filter.Shard, len(part))})
		text := strings.Join(append(part, string(end)), "\n") + "\n"
		parts = append(parts, lines.Part{Name: fmt.Sprint(i), Reader: strings.NewReader(text)})
	}
	var merged []string
	if err := lines.Merge(parts, func(_ *lines.Line, text []byte) error { merged = append(merged, string(text)); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("eight shards give other lines (-whole +merged):\n%s", diff)
	}
}

func texts(of []*lines.Line) (all []string) {
	for _, l := range of {
		text, err := json.Marshal(l)
		if err != nil {
			panic(err)
		}
		all = append(all, string(text))
	}
	return all
}
