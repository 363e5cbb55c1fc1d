package traffic_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

func written(labels ...string) traffic.Corpus {
	var all []scenario.Request
	for i, label := range labels {
		all = append(all, scenario.Request{Label: label, Source: scenario.Source{File: "w.yaml", Line: i + 1}})
	}
	return traffic.Written(all)
}

// A corpus returns its requests one by one, in order, and io.EOF every time after that.
func TestCorpus(t *testing.T) {
	both := traffic.Both(
		written("a", "b"),
		traffic.Ready([]traffic.Prepared{{Label: "c"}}),
		traffic.Both(),
		traffic.Steps([]traffic.Step{{Source: scenario.Source{File: "s.yaml", Line: 7}}}),
	)
	var got []string
	for {
		r, err := both.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Source().String())
	}
	if want := []string{"w.yaml:1", "w.yaml:2", "", "s.yaml:7"}; !slices.Equal(got, want) {
		t.Errorf("the requests are from %q, want %q", got, want)
	}
	if _, err := both.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after its end, Next returns %v, want %v", err, io.EOF)
	}
}

// An error is not the end of a source: the corpus does not continue with the next one.
func TestCorpusError(t *testing.T) {
	broken := errors.New("broken")
	both := traffic.Both(failing{broken}, written("a"))
	for range 2 {
		if _, err := both.Next(); !errors.Is(err, broken) {
			t.Errorf("Next: %v, want %v", err, broken)
		}
	}
}

type failing struct{ error }

func (f failing) Next() (traffic.Request, error) { return traffic.Request{}, f.error }

func TestSource(t *testing.T) {
	of := scenario.Source{File: "audit.log", Line: 3}
	for _, r := range []traffic.Request{
		{Recorded: &recording.Record{Position: recording.Position{File: of.File, Line: of.Line}}},
		{Written: &scenario.Request{Source: of}},
		{Step: &traffic.Step{Source: of}},
	} {
		if got := r.Source(); got != of {
			t.Errorf("Source(%+v) = %v, want %v", r, got, of)
		}
	}
}

// Without a world there are no answers, and the error is returned first.
func TestAnswersWithoutWorld(t *testing.T) {
	none := errors.New("there is no world")
	maker := func(*world.CaseKey, func(world.Resolver) world.Resolver) (*world.World, error) { return nil, none }
	var errs []error
	for _, err := range traffic.Answers(context.Background(), maker, written("a", "b"), scenario.Defaults{}, 2) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], none) {
		t.Errorf("the errors are %v, want %v alone", errs, none)
	}
}
