package kubeversion

import (
	"slices"
	"strconv"
	"strings"
)

// Spans are ranges of releases by minor version, such as 15-18,20,30-: from one release to another, a single release,
// and all from one release on.
type Spans []minors

type minors struct{ from, to int } // to is 0 if the range is open

// ParseSpans parses spans such as 15-18,20,30-.
func ParseSpans(text string) (Spans, error) {
	var all Spans
	for part := range strings.SplitSeq(text, ",") {
		from, to, open := strings.Cut(part, "-")
		if !open {
			to = from
		}
		var s minors
		var err error
		if s.from, err = strconv.Atoi(from); err != nil {
			return nil, err
		}
		if to != "" {
			if s.to, err = strconv.Atoi(to); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// Have reports whether release 1.minor is in one of the spans.
func (all Spans) Have(minor int) bool {
	return slices.ContainsFunc(all, func(s minors) bool { return s.from <= minor && (s.to == 0 || minor <= s.to) })
}
