package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/words"
)

func addAllowEmpty(c *cobra.Command, allow *bool) {
	c.Flags().BoolVar(allow, "allow-empty", false, "accept a recording in which no request runs")
}

func addMinDecided(c *cobra.Command, least *float64) {
	part(c.Flags(), least, "min-decided", 1, "a fraction", "exit with code 2 if admsim can decide less than this `FRACTION` of the requests, such as 0.9, and cannot tell for the others")
	setCompletions(c, "min-decided", []string{}) // no files
}

// nothingRan returns the error for a replay that ran no request, with the main reason: such a replay says nothing about
// the cluster, but a green job would suggest that it does. hasWorld says that the cluster was given with -C.
func nothingRan(s *lines.Summary, allowed, hasWorld bool) error {
	if s.Ran() > 0 {
		return nil
	}
	broken := s.Outcomes[lines.Broken]
	if broken > 0 && broken == s.Total {
		first := s.Broken[0]
		return recording.NothingReadable(first.Code, first.At, first.Why)
	}
	if broken > 0 && s.Broken[0].Code == recording.Damaged {
		return recording.NothingBefore(s.Broken[0].At, s.Broken[0].Why)
	}
	if allowed {
		return nil
	}
	const accept = "--allow-empty accepts that nothing runs"
	filtered := s.Skipped[string(recording.Filtered)] + s.Skipped[string(recording.NotSampled)]
	unlogged := s.Skipped[string(recording.BodyNotLogged)]
	undecided := s.Outcomes[lines.CannotTell]
	switch most := max(filtered, unlogged, undecided); {
	case most == filtered && most > 0:
		return hinted(fmt.Errorf("nothing was run: the filters leave out all %d records that could be run", filtered), accept)
	case most == unlogged:
		return recording.NothingToRun(s.Total, unlogged, accept)
	default:
		return hinted(fmt.Errorf("nothing was run: too little is known about %s", words.Plural(undecided, "request")), missing(s, hasWorld)+"; "+accept)
	}
}

// tooFewDecided returns the error for a replay that decides less than the given fraction of its requests: even if all of
// these agree, that says little about the cluster.
func tooFewDecided(s *lines.Summary, least float64, hasWorld bool) error {
	undecided, requests := s.Undecided()
	decided := requests - undecided
	if requests == 0 || float64(decided) >= least*float64(requests) {
		return nil
	}
	return hinted(fmt.Errorf("only %d of %s could be decided, less than --min-decided %g", decided, words.Plural(requests, "request"), least), missing(s, hasWorld))
}

// missing says how to find out what is not known about the requests.
func missing(s *lines.Summary, hasWorld bool) string {
	unseen := s.CannotTell[string(recording.OldUnknown)]
	switch {
	case hasWorld && unseen > 0 && unseen >= outsideWorld(s):
		return fmt.Sprintf("neither -C nor the log shows the object of %s before it: add such objects to -C, as they were when the recording began; the lines of -o jsonl name them", s.First[string(recording.OldUnknown)])
	case hasWorld && outsideWorld(s) > 0:
		return "neither -C nor the log shows the namespaces or kinds of some requests: " + addToWorld
	case outsideWorld(s)+unseen > 0:
		return giveWorld
	case s.CannotTell[string(recording.WithoutManaged)] > 0:
		return "an apply needs the managed fields of its object: an audit policy with omitManagedFields leaves them out, and so does admsim snapshot"
	case s.CannotTell[string(recording.WebhookUnknown)] > 0:
		return "--reviews-of NAME says which webhook the reviews were sent to"
	case s.CannotTell[string(recording.AnswerUnknown)] > 0:
		return "without a recorded answer there is nothing to compare with: admsim run -f shows what admsim answers"
	}
	return "the lines of -o jsonl say why for each of them"
}

const giveWorld = "give the cluster as it was when the recording began with -C; admsim snapshot copies it from a real one"

const addToWorld = "add them to -C, as they were when the recording began; admsim snapshot copies them from a real cluster"

// outsideWorld counts the requests to namespaces or resources that neither the world nor the recording shows.
func outsideWorld(s *lines.Summary) int {
	return s.CannotTell[string(recording.NamespaceUnknown)] + s.CannotTell[string(recording.ResourceUnknown)]
}

// replayBugs returns an error if records hit a bug in admsim.
func replayBugs(s *lines.Summary) error {
	if len(s.Bugs) == 0 {
		return nil
	}
	n := s.CannotTell[string(recording.BugInAdmsim)]
	return &bug.Found{Err: fmt.Errorf("%s met a bug in admsim; the first: %s: %s", words.Plural(n, "record"), s.Bugs[0].At, s.Bugs[0].Why)}
}

// printBroken warns that parts of the recording could not be read: there may be differences in them.
func printBroken(stderr io.Writer, s *lines.Summary) {
	if len(s.Broken) == 0 {
		return
	}
	first := "the first"
	if s.Broken[0].Code == recording.Damaged && s.Outcomes[lines.Broken] > 1 {
		first = "the reason is probably the last"
	}
	printWarning(stderr, fmt.Sprintf("%s of the recording cannot be read; %s: %s: %s", words.Plural(s.Outcomes[lines.Broken], "part"), first, s.Broken[0].At, s.Broken[0].Why),
		"admsim replay --fail-broken makes this an error")
}

// printUnknownWorld reports how to help requests that the world is too small for.
func printUnknownWorld(stderr io.Writer, s *lines.Summary, hasWorld bool) {
	hint := giveWorld
	if hasWorld {
		hint = addToWorld
	}
	if n := outsideWorld(s); n > 0 {
		printWarning(stderr, words.Plural(n, "request")+" went to namespaces or kinds that neither the cluster nor the recording shows", hint)
	}
}

// printDoubtfulRelease warns that the release may not be the one of the recording, if a fifth of the requests, and more than
// a few, are answered in another way.
func printDoubtfulRelease(stderr io.Writer, s *lines.Summary, release string) {
	const few = 3
	if differ := s.Outcomes[lines.Differs]; differ >= few && 5*differ >= s.Ran() {
		text := fmt.Sprintf("%d of %s are answered in another way by Kubernetes %s: is it the release of the cluster?", differ, words.Plural(s.Ran(), "request"), release)
		printWarning(stderr, text, "choose the release with --kubernetes-version")
	}
}

// printOverlap warns that logs overlap in time and should be read as one: each API server writes its own.
func printOverlap(stderr io.Writer, earlier, source string) {
	text, next := recording.Overlapping(earlier, source)
	printWarning(stderr, text, next)
}
