package simulator_test

import (
	"context"
	"sync"
	"testing"
)

// One simulator answers many requests at once. All find the same cluster, so all get the same answer. Run it with
// -race.
func TestSideBySide(t *testing.T) {
	sim := shop(t, 3, 3)
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			for range 8 {
				result, err := sim.Do(context.Background(), newConfigMap)
				if err != nil {
					t.Error(err)
					return
				}
				if result.Code != 201 {
					t.Errorf("code %d: %s", result.Code, result.Status().Message)
				}
				if calls := len(result.Admissions[0].Steps); calls == 0 {
					t.Error("no steps")
				}
			}
		})
	}
	running.Wait()

	first, err := sim.Do(context.Background(), newConfigMap)
	if err != nil {
		t.Fatal(err)
	}
	again, err := first.Next.Do(context.Background(), newConfigMap)
	if err != nil {
		t.Fatal(err)
	}
	if again.Code != 409 {
		t.Errorf("creating it again after it was created: code %d, want 409", again.Code)
	}
}
