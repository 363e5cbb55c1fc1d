package whatif_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
)

// What comes of a question does not depend on how many requests run side by side.
func TestJobs(t *testing.T) {
	w := readWorld(t, mesh)
	data := reviews(60)
	var situations []whatif.Situation
	for _, hook := range traffic.Dependencies(w.Simulator()).Webhooks() {
		situations = append(situations, whatif.Situation{Troubles: []whatif.Trouble{{Webhook: hook, Mode: whatif.Hang}}})
	}
	for name, ask := range map[string]func(jobs int) (any, error){
		"outage": func(jobs int) (any, error) {
			return whatif.Outage(context.Background(), w.make, corpusOf(t, data), situations, whatif.OutageOptions{Jobs: jobs})
		},
		"check": func(jobs int) (any, error) {
			return whatif.Check(context.Background(), w.make, corpusOf(t, data), whatif.CheckOptions{Jobs: jobs, Alike: 4})
		},
		"answers": func(jobs int) (any, error) {
			var codes []int
			for a, err := range traffic.Answers(context.Background(), w.make, corpusOf(t, data), scenario.Defaults{}, jobs) {
				if err != nil {
					return nil, err
				}
				codes = append(codes, a.Result.Code)
			}
			return codes, nil
		},
	} {
		one, err := ask(1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		four, err := ask(4)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(one, four, cmpopts.IgnoreTypes(&dependency.Webhook{})); diff != "" {
			t.Errorf("%s with one job and four (-1 +4):\n%s", name, diff)
		}
	}
}

// Who has heard enough ends the run.
func TestAnswersEnough(t *testing.T) {
	w := readWorld(t, mesh)
	n := 0
	for range traffic.Answers(context.Background(), w.make, corpusOf(t, reviews(200)), scenario.Defaults{}, 4) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
}
