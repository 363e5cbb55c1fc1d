package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A hintedError is an error with the next thing to try.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// hinted adds a hint to err; one that err has already comes first.
func hinted(err error, hint string) error { return &hintedError{err, hint} }

// printError writes what went wrong: one line an error, in lower case and without a full
// stop, and behind each what to try next.
func printError(w io.Writer, err error) {
	for _, one := range apart(err) {
		text, hint := wordsOf(one)
		fmt.Fprintf(w, "admsim: error: %s\n", text)
		if hint != "" {
			fmt.Fprintf(w, "admsim: hint: %s\n", hint)
		}
	}
}

// together is all that is wrong, nil where nothing is: what files are about in the order of files and
// lines, whoever found it, and then the rest.
func together(errs ...error) error {
	var inFiles, others []error
	for _, err := range errs {
		for _, one := range apart(err) {
			if input := (*scenario.Error)(nil); errors.As(one, &input) {
				inFiles = append(inFiles, one)
			} else {
				others = append(others, one)
			}
		}
	}
	return errors.Join(append([]error{scenario.Together(inFiles...)}, others...)...)
}

// apart are the errors that err is.
func apart(err error) []error {
	if err == nil {
		return nil
	}
	var input scenario.Errors
	switch joined := err.(type) {
	case interface{ Unwrap() []error }:
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, apart(one)...)
		}
		return all
	default:
		if errors.As(err, &input) {
			return input.Unwrap()
		}
	}
	return []error{err}
}

func wordsOf(err error) (text, hint string) {
	text, hint = fileError(err, err.Error())
	var (
		input   *scenario.Error
		unknown *didyoumean.UnknownError
		answer  *dispatch.NoAnswerError
		nobody  *dispatch.NoBackendError
		needs   *kubeversion.GateNeedsError
		with    *hintedError
	)
	switch {
	case errors.As(err, &input):
		if input.Hint != "" {
			hint = input.Hint
		}
		return placed(input), hint
	case errors.As(err, &nobody) && errors.As(err, &answer):
		return text, backendHint(answer)
	case errors.As(err, &unknown) && unknown.Hint() != "":
		return unknown.Problem, unknown.Hint()
	case errors.As(err, &needs):
		return text, fmt.Sprintf("switch on what it depends on, too, --feature-gates %s=true, or %s off", strings.Join(needs.Off, "=true,"), needs.Gate)
	case errors.As(err, &with):
		return text, with.hint
	}
	return text, hint
}

// backendHint helps with a webhook that nobody answers for.
func backendHint(of *dispatch.NoAnswerError) string {
	if meant := of.Meant(); meant != "" {
		return meant
	}
	return fmt.Sprintf("say who answers in a document of kind Backends with webhook: %s/%s; or --allow-unmatched lets it allow everything, --live calls it", of.Configuration, of.Webhook)
}

// placed is the message with the place in front.
func placed(e *scenario.Error) string {
	if at := e.Source.String(); at != "" {
		return at + ": " + e.Message
	}
	return e.Message
}

// printWarnings writes what the user may want to know but did not go wrong.
func printWarnings(w io.Writer, warnings []*scenario.Error) {
	for _, one := range warnings {
		printWarning(w, placed(one), one.Hint)
	}
}

// printWarning writes a warning, with what to try next where there is something, at once: see [onlyNew].
func printWarning(w io.Writer, text, hint string) {
	text = fmt.Sprintf("admsim: warning: %s\n", text)
	if hint != "" {
		text += fmt.Sprintf("admsim: hint: %s\n", hint)
	}
	_, _ = io.WriteString(w, text)
}

// onlyNew leaves out what was written before, as the warnings about files that two worlds have in
// common.
type onlyNew struct {
	io.Writer
	written map[string]bool
}

func (w onlyNew) Write(p []byte) (int, error) {
	if w.written[string(p)] {
		return len(p), nil
	}
	w.written[string(p)] = true
	return w.Writer.Write(p)
}

// held is what is written once it is known that it is wanted, as it was written: see [onlyNew].
type held [][]byte

func (h *held) Write(p []byte) (int, error) {
	*h = append(*h, bytes.Clone(p))
	return len(p), nil
}

func (h held) release(to io.Writer) {
	for _, p := range h {
		_, _ = to.Write(p)
	}
}
