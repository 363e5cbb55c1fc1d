package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/bug"
)

// However deep a bug is among other errors, the command ends as one and says what to do.
func TestBugAmongErrors(t *testing.T) {
	met := bug.Counter{What: "request"}
	if met.Met(errors.New("denied")) || met.Err() != nil {
		t.Error("another error counts as a bug")
	}
	for _, value := range []string{"first", "second"} {
		if !met.Met(fmt.Errorf("pod.yaml:1: %w", &bug.Error{Value: value})) {
			t.Error("a bug does not count as one")
		}
	}
	err := errors.Join(errDenied, hinted(met.Err(), "another hint"))
	if !bug.Is(err) {
		t.Fatalf("bug.Is(%v) = false", err)
	}
	var told strings.Builder
	printError(&told, err)
	want := "admsim: error: 2 requests met a bug in admsim; the first: pod.yaml:1: panic: first at an unknown place\nadmsim: hint: " + bugHint + "\n"
	if told.String() != want {
		t.Errorf("told %q, want %q", &told, want)
	}
}

// What nobody reads is not written: neither the middle of an endless line nor the thousandth error.
func TestErrorsAreFewAndShort(t *testing.T) {
	many := slices.Repeat([]error{errors.New(strings.Repeat("é", 100_000))}, 10_000)
	var told strings.Builder
	printError(&told, errors.Join(many...))
	if most := (mostErrors + 1) * (longestError + 100); told.Len() > most {
		t.Errorf("%d bytes are written, want at most %d", told.Len(), most)
	}
	if !strings.Contains(told.String(), "9900 more errors") {
		t.Error("how many errors are not shown is not said")
	}
}
