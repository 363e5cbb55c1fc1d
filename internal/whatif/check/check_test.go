package check_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/check"
)

// The findings do not depend on how many requests run at once.
func TestJobs(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	with := func(jobs int) *check.Result {
		got, err := check.Run(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(60)), check.Options{Jobs: jobs, Alike: 4})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(with(1), with(4)); diff != "" {
		t.Errorf("with one job and four (-1 +4):\n%s", diff)
	}
}
