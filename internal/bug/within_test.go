package bug_test

import (
	"errors"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/bug"
)

func within(limit time.Duration, f func()) (err error) {
	defer bug.Catch(&err)
	bug.Within(limit, "the expression", "x", f)
	return nil
}

// What never returns is an error, and no bug.
func TestWithinEndsWhatNeverReturns(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	err := within(time.Millisecond, func() { <-never })
	const want = "the expression x takes longer than 1ms, which is as long as admsim waits"
	var isBug *bug.Error
	if err == nil || err.Error() != want || errors.As(err, &isBug) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWithinHandsOnWhatHappens(t *testing.T) {
	ran := false
	if err := within(time.Hour, func() { ran = true }); err != nil || !ran {
		t.Errorf("got %v, ran %t, want no error", err, ran)
	}
	var isBug *bug.Error
	if err := within(time.Hour, func() { panic("oops") }); !errors.As(err, &isBug) || isBug.Value != "oops" {
		t.Errorf("got %v, want the panic", err)
	}
}
