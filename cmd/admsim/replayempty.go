package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/replay"
)

func addAllowEmpty(c *cobra.Command, allow *bool) {
	c.Flags().BoolVar(allow, "allow-empty", false, "accept that no request of the recording runs")
}

// inWorld are the codes of what may be in a cluster of which the recording says nothing.
var inWorld = []recording.Code{replay.NamespaceUnknown, replay.ResourceUnknown, recording.OldUnknown}

// nothingRan is the error of a replay that ran no request, with what stood in the way of
// most: it says nothing about the cluster, and a green job would.
func nothingRan(s *replay.Summary, allowed bool) error {
	if s.Ran() > 0 {
		return nil
	}
	if broken := s.Outcomes[replay.Broken]; broken > 0 && broken == s.Total {
		return hinted(errors.New("nothing of the recording can be read"), "is it an audit log (audit.k8s.io/v1), or AdmissionReviews in JSON, one after the other?")
	}
	if allowed {
		return nil
	}
	const accept = "--allow-empty accepts that nothing runs"
	filtered := s.Skipped[string(recording.Filtered)] + s.Skipped[string(recording.NotSampled)]
	unlogged := s.Skipped[string(recording.BodyNotLogged)]
	untold := s.Outcomes[replay.CannotTell]
	switch most := max(filtered, unlogged, untold); {
	case s.Total == 0:
		return hinted(errors.New("nothing was run: the recording is empty"), accept)
	case most == 0:
		return hinted(errors.New("nothing was run: the recording has no request that changes something"), accept)
	case most == filtered:
		return hinted(fmt.Errorf("nothing was run: the flags that choose leave out all %d records that could have been", filtered), accept)
	case most == unlogged:
		return hinted(fmt.Errorf("nothing was run: the bodies of %s were not logged", counted(unlogged, "request")), "the audit policy has to log level Request or RequestResponse; "+accept)
	default:
		hint := "the lines of -o jsonl say of each why; " + accept
		if slices.ContainsFunc(inWorld, func(c recording.Code) bool { return s.CannotTell[string(c)] > 0 }) {
			hint = "give the cluster with -C: admsim snapshot makes it of a real one; " + accept
		}
		return hinted(fmt.Errorf("nothing was run: of %s not enough is known", counted(untold, "request")), hint)
	}
}
