package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
)

// However deep a bug is inside other errors, the command reports it as a bug and says what to do.
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
	var stderr strings.Builder
	printError(&stderr, err)
	want := "admsim: error: 2 requests met a bug in admsim; the first: pod.yaml:1: panic: first at an unknown place\nadmsim: hint: " + bugHint + "\n"
	if stderr.String() != want {
		t.Errorf("stderr is %q, want %q", &stderr, want)
	}
}

// A bug that a request to a served cluster meets is one of the command.
func TestBugWhileServing(t *testing.T) {
	missed := missedRequests{bugs: bug.Counter{What: "request"}}
	missed.add(errors.New("the log is not complete"))
	if err := missed.err(); err != nil {
		t.Errorf("without a request: %v", err)
	}
	missed.add(&serving.Failure{Request: "GET /a", Err: errors.New("no backend")})
	if err := missed.err(); err == nil || bug.Is(err) {
		t.Errorf("without an answer: %v", err)
	}
	missed.add(&serving.Failure{Request: "GET /b", Err: &serve.PanicError{Value: "broken"}})
	if err := missed.err(); !bug.Is(err) || err.Error() != "1 request met a bug in admsim; the first: GET /b: panic: broken" {
		t.Errorf("after a panic: %v", err)
	}
}

// Standard error is limited: neither the middle of an endless line nor the thousandth error is written.
func TestErrorsAreFewAndShort(t *testing.T) {
	many := slices.Repeat([]error{errors.New(strings.Repeat("é", 100_000))}, 10_000)
	var stderr strings.Builder
	printError(&stderr, errors.Join(many...))
	if most := (mostErrors + 1) * (longestError + 100); stderr.Len() > most {
		t.Errorf("%d bytes are written, want at most %d", stderr.Len(), most)
	}
	if !strings.Contains(stderr.String(), fmt.Sprintf("%d more errors", 10_000-mostErrors)) {
		t.Error("the number of errors that are not shown is missing")
	}
}
