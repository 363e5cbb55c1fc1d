package ordered

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/admsim/admsim/internal/bug"
)

// count puts the numbers from 0 to end-1.
func count(end int) func(context.Context, func(int) bool) error {
	return func(_ context.Context, put func(int) bool) error {
		for i := range end {
			if !put(i) {
				return nil
			}
		}
		return nil
	}
}

func newWorkers(size int, work func(int)) (workers []func(context.Context, int)) {
	for range size {
		workers = append(workers, func(_ context.Context, i int) { work(i) })
	}
	return workers
}

// However long each item takes, items are taken in order, each after it was worked on.
func TestOrder(t *testing.T) {
	for _, size := range []int{1, 2, 7} {
		t.Run(fmt.Sprintf("workers=%d", size), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var worked [100]atomic.Bool
				var taken []int
				err := Run(t.Context(), 4, newWorkers(size, func(i int) {
					time.Sleep(time.Duration(i*7%10) * time.Millisecond)
					worked[i].Store(true)
				}), count(len(worked)), func(i int) error {
					if !worked[i].Load() {
						t.Errorf("%d is taken before it is done", i)
					}
					taken = append(taken, i)
					return nil
				})
				if err != nil || len(taken) != len(worked) || !slices.IsSorted(taken) {
					t.Errorf("Run() = %v, took %v", err, taken)
				}
			})
		})
	}
}

// Several workers run concurrently, and the number of items ahead is limited.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		s := Start(t.Context(), 3, newWorkers(2, func(int) { begun.Add(1); time.Sleep(time.Second) }), count(100))
		synctest.Wait()
		if n := begun.Load(); n != 2 {
			t.Errorf("%d of 2 workers began", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := begun.Load(); n > 3 {
			t.Errorf("%d items were worked on before any was taken; 3 may be ahead", n)
		}
		s.Stop()
	})
}

// An error ends everything: nothing is taken after it, and nothing is running when Run returns.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int{1, 3} {
		t.Run(fmt.Sprintf("workers=%d", size), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
				last := -1
				err := Run(t.Context(), 8, newWorkers(size, func(int) {}), count(1000), func(i int) error {
					if last = i; i == 5 {
						return broken
					}
					return nil
				})
				if err != broken || last != 5 {
					t.Errorf("an error of take at 5: Run() = %v, and %d was taken last", err, last)
				}

				last = -1
				err = Run(t.Context(), 8, newWorkers(size, func(int) {}), func(ctx context.Context, put func(int) bool) error {
					return errors.Join(count(5)(ctx, put), broken)
				}, func(i int) error { last = i; return nil })
				if !errors.Is(err, broken) || last != 4 {
					t.Errorf("an error of produce behind 4: Run() = %v, and %d was taken last", err, last)
				}

				ctx, cancel := context.WithCancel(t.Context())
				err = Run(ctx, 8, newWorkers(size, func(int) {}), count(1<<40), func(i int) error {
					if i == 5 {
						cancel()
					}
					return nil
				})
				if err != context.Canceled {
					t.Errorf("the context is canceled at 5: Run() = %v", err)
				}
			})
		})
	}
}

// A panic of a worker or of the producer ends the run with an error, not the process.
func TestPanicIsAnError(t *testing.T) {
	caught := (*bug.Error)(nil)
	fine, fails := func(context.Context, int) {}, func(context.Context, int) { panic("worker") }
	all := func(_ context.Context, put func(int) bool) error {
		for i := 0; i < 10 && put(i); i++ {
		}
		return nil
	}
	for name, run := range map[string]func() error{
		"worker": func() error {
			return Run(t.Context(), 4, []func(context.Context, int){fails, fails}, all, func(int) error { return nil })
		},
		"produce": func() error {
			return Run(t.Context(), 4, []func(context.Context, int){fine, fine}, func(context.Context, func(int) bool) error { panic("produce") }, func(int) error { return nil })
		},
	} {
		if err := run(); !errors.As(err, &caught) || caught.Value != name {
			t.Errorf("a panic of %s ends with %v", name, err)
		}
	}
}
