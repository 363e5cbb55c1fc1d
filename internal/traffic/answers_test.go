package traffic_test

import (
	"context"
	"slices"
	"testing"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/traffic/traffictest"
)

// The answers, and their order, do not depend on how many requests run at once.
func TestAnswersJobs(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	with := func(jobs int) (codes []int) {
		for a, err := range traffic.Answers(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(60)), scenario.Defaults{}, jobs) {
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, a.Result.Code)
		}
		return codes
	}
	if one, four := with(1), with(4); len(one) != 60 || !slices.Equal(one, four) {
		t.Errorf("with one job the codes are %v, with four %v", one, four)
	}
}

// The run ends when the caller stops iterating.
func TestAnswersEnough(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	n := 0
	for range traffic.Answers(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(200)), scenario.Defaults{}, 4) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
}
