package bug_test

import (
	"errors"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/bug"
)

func within(limit time.Duration, f func()) (inTime bool, err error) {
	defer bug.Catch(&err)
	return bug.Within(limit, f), nil
}

func TestWithinLeavesWhatNeverReturns(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	if inTime, err := within(time.Millisecond, func() { <-never }); inTime || err != nil {
		t.Errorf("got %t, %v, want false, since it takes longer", inTime, err)
	}
}

func TestWithinHandsOnWhatHappens(t *testing.T) {
	ran := false
	if inTime, err := within(time.Hour, func() { ran = true }); err != nil || !inTime || !ran {
		t.Errorf("got %t, %v, ran %t, want no error", inTime, err, ran)
	}
	var isBug *bug.Error
	if _, err := within(time.Hour, func() { panic("oops") }); !errors.As(err, &isBug) || isBug.Value != "oops" {
		t.Errorf("got %v, want the panic", err)
	}
	why := errors.New("nobody can tell")
	if _, err := within(time.Hour, func() { panic(bug.Stop{Err: why}) }); err != why {
		t.Errorf("got %v, want why it stopped", err)
	}
}
