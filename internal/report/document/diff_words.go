package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/report/words"
)

// SideText returns one side of a change for display. The value of a field is JSON, and a duration has nanoseconds.
func SideText(c DiffChange, text string) string {
	if text == "" {
		return "nothing"
	}
	if c == DifferentObject && json.Valid([]byte(text)) {
		return words.Shorten(Flow(json.RawMessage(text)), 400)
	}
	if d, err := time.ParseDuration(text); c == DifferentLatency && err == nil {
		return words.Briefly(d)
	}
	return text
}

func (d *Diff) GroupTitle(g DiffGroup) string {
	switch change := g.Change; {
	case change == DifferentCalls && g.By != (Actor{}) && g.What == "fewer":
		return g.By.String() + " is called less often"
	case change == DifferentCalls && g.By != (Actor{}):
		return g.By.String() + " is called more often"
	case change == DifferentLatency:
		return Takes(g.What)
	}
	return cmp.Or(Point(g.What), ChangeWords[g.Change])
}

// Point returns a message without the prefix that says who sends it, which is shown beside it.
func Point(message string) string {
	for _, begins := range []string{"admission webhook ", "ValidatingAdmissionPolicy "} {
		if rest, ok := strings.CutPrefix(message, begins); ok {
			if _, said, ok := strings.Cut(rest, ": "); ok {
				return said
			}
		}
	}
	return message
}

// The changes in words.
var ChangeWords = map[DiffChange]string{
	NewlyDenied:      "newly denied",
	NewlyAllowed:     "newly allowed",
	DifferentObject:  "different object",
	DifferentMessage: "different message",
	DifferentWarning: "different warnings",
	DifferentCalls:   "different calls",
	DifferentLatency: "different latency",
}

func (d *Diff) AboutUndecided() string {
	if d.Undecided == 0 {
		return ""
	}
	return fmt.Sprintf("; %s could not be answered", words.Plural(d.Undecided, "more request"))
}

// AboutUnreached says which webhooks and policies differ but are asked about no request; it is empty if there are none.
func (d *Diff) AboutUnreached() string {
	if len(d.Unreached) == 0 {
		return ""
	}
	var names []string
	for _, a := range d.Unreached {
		names = append(names, a.String())
	}
	request := "no request"
	if d.Undecided > 0 {
		request = "no request that could be answered"
	}
	if len(names) == 1 {
		return names[0] + " differs, and " + request + " reaches it"
	}
	return words.Few(names) + " differ, and " + request + " reaches them"
}

// Takes describes a difference in latency, longer or shorter.
func Takes(what string) string {
	if what == "shorter" {
		what = "less long"
	}
	return "takes " + what
}

// Calls says how often something was called.
func Calls(n int) string { return words.Plural(n, "call") }

// ByWord returns the word before the name of who did it.
func ByWord(c DiffChange) string {
	if c == DifferentObject {
		return "set by"
	}
	return "by"
}

// MostCounts values are named, unless verbose.
const MostCounts = 5

// CountWords returns how often each of the first values occurs; it returns nothing if there is only the empty value.
func CountWords(all []Count, most int) (parts []string) {
	if len(all) == 1 && all[0].Value == "" {
		return nil
	}
	for i, c := range all {
		if i == most {
			return append(parts, fmt.Sprintf("and %d more", len(all)-most))
		}
		parts = append(parts, words.OneLine(cmp.Or(c.Value, "(none)")+" "+words.Thousands(c.Count)))
	}
	return parts
}
