// Package audit converts the events of audit logs to the reviews that a webhook would have received, and to suites
// whose cases expect the answers of the cluster.
//
// Start with [Convert], which reads recordings, and with one of the writers: [NewReviews], [NewFixtures]. Events that
// cannot be converted are counted by reason.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
)

// Options say what to convert.
type Options struct {
	Filter     recording.Filter
	FailBroken bool                         // stop at the first line that cannot be read
	Overlap    func(earlier, source string) // see [recording.Options]
}

// A Writer writes the results of a conversion.
type Writer interface {
	// add writes the line of a record. l may have no review, for which why is the reason, or be nil.
	add(r *recording.Record, l *recording.Line, why recording.Reason, counts *Summary) error
	// close ends the writing; counts is nil if the conversion failed.
	close(ctx context.Context, counts *Summary) error
	// discard removes the files that were written so far.
	discard() error
}

// Discard removes what was written so far. It is for a conversion that does not end.
func Discard(w Writer) { _ = w.discard() }

// A Summary counts what was written and, by reason, what was left out.
type Summary struct {
	Written  int // reviews, or cases
	Requests int // requests without a review
	State    int // events that only show the state of the cluster
	Left     map[recording.Code]*Omitted

	Unmatched []recording.Unmatched
	Bugs      bug.Counter

	first *recording.BrokenError // that could not be read
}

// Omitted counts events that were left out for the same reason.
type Omitted struct {
	Count int
	First recording.Position
}

// Convert converts the records of the sources that the filter selects.
func Convert(ctx context.Context, sources []recording.Source, to Writer, o Options) (*Summary, error) {
	counts, err := convert(ctx, sources, to, o)
	if err != nil {
		return nil, errors.Join(err, to.close(ctx, nil))
	}
	return counts, to.close(ctx, counts)
}

func convert(ctx context.Context, sources []recording.Source, to Writer, o Options) (*Summary, error) {
	counts := &Summary{Bugs: bug.Counter{What: "record"}}
	reader, err := recording.NewReader(sources, recording.Options{
		Filter:    o.Filter,
		Ahead:     2,
		Unmatched: func(u recording.Unmatched) { counts.Unmatched = append(counts.Unmatched, u) },
		Overlap:   o.Overlap,
		Broken: func(e *recording.BrokenError) error {
			if counts.Bugs.Met(e) {
				return nil
			}
			if o.FailBroken {
				return e
			}
			if counts.first == nil {
				counts.first = e
			}
			counts.leave(e.Code, e.Position)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return counts, counts.unreadable()
		}
		if err != nil {
			return nil, err
		}
		if err := convertOne(r, to, counts); err != nil && !counts.Bugs.Met(err) {
			return nil, err
		}
	}
}

// convertOne writes a record. A bug becomes its error.
func convertOne(r *recording.Record, to Writer, counts *Summary) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", r.Position, err)
		}
	}()
	defer bug.Catch(&err)
	line, why := recording.LineOf(r)
	return to.add(r, line, why, counts)
}

func (s *Summary) leave(why recording.Code, at recording.Position) {
	if s.Left == nil {
		s.Left = map[recording.Code]*Omitted{}
	}
	if s.Left[why] == nil {
		s.Left[why] = &Omitted{First: at}
	}
	s.Left[why].Count++
}

// unreadable returns the error for a recording of which nothing could be read.
func (s *Summary) unreadable() error {
	read := s.Written + s.Requests + s.State
	for code, left := range s.Left {
		if !code.Unread() {
			read += left.Count
		}
	}
	if read > 0 || s.first == nil {
		return nil
	}
	return recording.NothingReadable(s.first.Code, s.first.Position.String(), s.first.Err.Error())
}
