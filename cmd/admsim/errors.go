package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// hinted adds a hint to err. A hint that err already has comes first.
func hinted(err error, text string) error { return hint.Add(err, text) }

// printError writes one line per error, in lower case and without a full stop, each followed by a hint if there is one.
// Consecutive errors with the same hint share it.
func printError(w io.Writer, err error) {
	all := flatten(err)
	hint := "" // of the errors above; written once after them
	defer func() { printHint(w, hint) }()
	for i, one := range all {
		if i == mostErrors && len(all) > i+1 {
			printHint(w, hint)
			hint = ""
			fmt.Fprintf(w, "admsim: error: %d more errors, which are not shown\n", len(all)-i)
			return
		}
		if errors.Is(one, errDenied) || errors.Is(one, errUnknown) { // these have no message
			continue
		}
		text, next := wordsOf(one)
		if next != hint {
			printHint(w, hint)
			hint = next
		}
		fmt.Fprintf(w, "admsim: error: %s\n", shortened(text))
	}
}

func printHint(w io.Writer, hint string) {
	if hint != "" {
		fmt.Fprintf(w, "admsim: hint: %s\n", shortened(hint))
	}
}

// Limits on what is written to standard error: the number of errors, and the bytes of each.
const (
	mostErrors   = 20
	longestError = 4000
)

// shortened returns text without its middle if it is longer than anybody would read.
func shortened(text string) string {
	if len(text) <= longestError {
		return text
	}
	first, last := strings.ToValidUTF8(text[:longestError*3/4], ""), strings.ToValidUTF8(text[len(text)-longestError/4:], "")
	return fmt.Sprintf("%s… (%d bytes left out) …%s", first, len(text)-len(first)-len(last), last)
}

const bugHint = "this is a bug in admsim; please report the lines above and what you ran at https://github.com/admsim/admsim/issues"

// joinSorted joins errors; it returns nil if there are none. Errors about files come first, in the order of files and
// lines, whatever found them, and then the rest.
func joinSorted(errs ...error) error {
	var inFiles, others []error
	for _, err := range errs {
		for _, one := range flatten(err) {
			if input := (*scenario.Error)(nil); errors.As(one, &input) {
				inFiles = append(inFiles, one)
			} else {
				others = append(others, one)
			}
		}
	}
	return errors.Join(append([]error{scenario.Together(inFiles...)}, others...)...)
}

// flatten returns the single errors that err joins.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	var input scenario.Errors
	switch joined := err.(type) {
	case interface{ Unwrap() []error }:
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, flatten(one)...)
		}
		return all
	default:
		if errors.As(err, &input) {
			return input.Unwrap()
		}
	}
	return []error{err}
}

func wordsOf(err error) (text, next string) {
	text, next = fileError(err, err.Error())
	unknown := didyoumean.In(err)
	var (
		input  *scenario.Error
		answer *dispatch.NoAnswerError
		nobody *dispatch.NoBackendError
		needs  *kubeversion.GateNeedsError
		with   *hint.Error
		knows  interface{ Hint() string }
	)
	switch {
	case bug.Is(err):
		return text, bugHint
	case errors.As(err, &input):
		if input.Hint != "" {
			next = input.Hint
		}
		return placed(input), next
	case errors.As(err, &nobody) && errors.As(err, &answer):
		return text, backendHint(answer)
	case unknown != nil && (unknown.Hint() != "" || !strings.Contains(text, unknown.Problem)):
		return unknown.Problem, unknown.Hint()
	case errors.As(err, &needs):
		return text, fmt.Sprintf("switch on what it depends on, too, --feature-gates %s=true, or %s off", strings.Join(needs.Off, "=true,"), needs.Gate)
	case errors.As(err, &with):
		return text, with.Hint
	case errors.As(err, &knows) && knows.Hint() != "":
		return text, knows.Hint()
	}
	return text, next
}

// backendHint returns the hint for a webhook without a backend.
func backendHint(of *dispatch.NoAnswerError) string {
	if meant := of.Meant(); meant != "" {
		return meant
	}
	if of.Webhook == dispatch.ConversionWebhook { // it answers with the converted object
		return fmt.Sprintf("say who answers in a document of kind Backends with webhook: %s/conversion; or --allow-unmatched has it change nothing but the apiVersion, --live calls it", of.Configuration)
	}
	return fmt.Sprintf("say who answers, in a file for -C: {apiVersion: "+scenario.APIVersion+", kind: Backends, backends: [{webhook: %s, mock: [{allowed: true}]}]}; or --allow-unmatched lets it allow everything, --live calls it", strings.TrimPrefix(of.Configuration+"/"+of.Webhook, "/"))
}

// placed returns the message of e with its place in front.
func placed(e *scenario.Error) string {
	if at := e.Source.String(); at != "" {
		return at + ": " + e.Message
	}
	return e.Message
}

// printWarnings writes warnings: things that the user may want to know, though nothing failed.
func printWarnings(w io.Writer, warnings []*scenario.Error) {
	for _, one := range warnings {
		printWarning(w, placed(one), one.Hint)
	}
}

// printWarning writes a warning, and its hint if there is one, in a single write: see [onlyNew].
func printWarning(w io.Writer, text, hint string) {
	text = fmt.Sprintf("admsim: warning: %s\n", shortened(text))
	if hint != "" {
		text += fmt.Sprintf("admsim: hint: %s\n", shortened(hint))
	}
	_, _ = io.WriteString(w, text)
}

// warner returns a function that writes warnings while a cluster is served, to which requests may fail at the same time.
// A hint is written once.
func warner(w io.Writer) func(error) {
	var mutex sync.Mutex
	given := map[string]bool{}
	return func(err error) {
		request := ""
		if failure := (*serving.Failure)(nil); errors.As(err, &failure) {
			request, err = failure.Request+": ", failure.Err
		}
		text, hint := wordsOf(err)
		mutex.Lock()
		defer mutex.Unlock()
		if given[hint] {
			hint = ""
		}
		given[hint] = true
		printWarning(w, request+text, hint)
	}
}

// textOf returns the text of an error, with its place.
func textOf(err error) string {
	text, _ := wordsOf(err)
	return text
}

// onlyNew drops repeated writes, such as warnings about files that two worlds share.
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

// held buffers writes until it is known whether they are wanted, and keeps them apart: see [onlyNew].
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

// withoutCredentials receives errors and warnings, one per write, and redacts passwords in the URLs that they quote.
type withoutCredentials struct{ io.Writer }

func (w withoutCredentials) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, redact.Credentials(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
