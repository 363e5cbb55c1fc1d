package audit

import (
	"bufio"
	"context"
	"io"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/wholefile"
)

// reviews writes lines as admsim record does.
type reviews struct {
	w        *bufio.Writer
	file     *wholefile.File // nil: standard output
	redactor *redact.Redactor
	filter   recording.Filter
}

// NewReviews returns a writer of reviews to standard output. Secrets are removed, unless redactor is nil.
func NewReviews(stdout io.Writer, filter recording.Filter, redactor *redact.Redactor) Writer {
	return &reviews{w: bufio.NewWriter(stdout), redactor: redactor, filter: filter}
}

// CreateReviews returns a writer of reviews to a file.
func CreateReviews(name string, filter recording.Filter, redactor *redact.Redactor) (Writer, error) {
	f, err := wholefile.Create(name, 0o600)
	if err != nil {
		return nil, err
	}
	return &reviews{w: bufio.NewWriterSize(f, 256<<10), file: f, redactor: redactor, filter: filter}, nil
}

func (r *reviews) add(rec *recording.Record, l *recording.Line, why recording.Reason, counts *Summary) error {
	switch {
	case why.Code == "":
		counts.Written++
	case l != nil && rec.Runs():
		counts.Requests++
	case l != nil && r.filter.Sees(rec):
		counts.State++
	default:
		counts.leave(why.Code, rec.Position)
		return nil
	}
	text, err := reviewLine(l, r.redactor)
	if err == nil {
		_, err = r.w.Write(text)
	}
	return err
}

func (r *reviews) close(_ context.Context, counts *Summary) error {
	err := r.w.Flush()
	switch {
	case r.file == nil:
		return err
	case counts == nil:
		return r.discard()
	}
	return r.file.End(err)
}

func (r *reviews) discard() error {
	if r.file != nil {
		_ = r.file.End(wholefile.ErrUnfinished) // the reason is reported
	}
	return nil
}
