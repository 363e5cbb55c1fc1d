package bug

import (
	"errors"
	"fmt"
	"testing"
)

func TestCounter(t *testing.T) {
	met := Counter{What: "request"}
	if met.Met(errors.New("denied")) || met.Err() != nil {
		t.Error("another error counts as a bug")
	}
	if !met.Met(fmt.Errorf("pod.yaml:1: %w", &Error{Value: "first"})) {
		t.Error("a bug does not count as one")
	}
	if got, want := met.Err().Error(), "1 request met a bug in admsim; the first: pod.yaml:1: panic: first at an unknown place"; got != want {
		t.Errorf("Err() = %s, want %s", got, want)
	}
	met.Met(&Error{Value: "second"})
	err := met.Err()
	if got, want := err.Error(), "2 requests met a bug in admsim; the first: pod.yaml:1: panic: first at an unknown place"; got != want {
		t.Errorf("Err() = %s, want %s", got, want)
	}
	if !Is(errors.Join(errors.New("denied"), fmt.Errorf("twice: %w", err))) {
		t.Errorf("Is(%v) = false", err)
	}
	if Is(errors.New("denied")) || Is(nil) {
		t.Error("an error that is not a bug counts as one")
	}
}
