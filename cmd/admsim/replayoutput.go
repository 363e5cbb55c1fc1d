package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/report/pages"
	"github.com/admsim/admsim/internal/wholefile"
)

// A replayOutput is the destination of the results of a replay: lines are written as they come, the summary at the end.
type replayOutput struct {
	stdout    io.Writer
	verbose   bool
	summaries []output
	rows      *pages.ReplayRows // nil: no HTML page is wanted

	linesPath string // empty: standard output
	lines     *bufio.Writer
	file      *os.File        // set if the run can be resumed, which continues this file
	whole     *wholefile.File // set otherwise; put in place at the end
}

func addReplayOutputs(c *cobra.Command, f *outputFlags) {
	f.addOutputs(c, "replay")
	c.Flags().Lookup("output").Usage += "; jsonl has a line for every request, the others have the summary"
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also show what has no differences, and what is not known about requests that ran")
}

func openReplay(f *outputFlags, stdout io.Writer) (*replayOutput, error) {
	outputs, err := f.parse(stdout, formats.Text)
	if err != nil {
		return nil, err
	}
	stdout = rawWriter(stdout)
	o := &replayOutput{stdout: stdout, verbose: f.verbose}
	for _, one := range outputs {
		if one.format != formats.JSONLines {
			o.summaries = append(o.summaries, one)
			continue
		}
		if o.lines != nil {
			return nil, errors.New("-o jsonl is given twice")
		}
		o.linesPath, o.lines = one.path, bufio.NewWriterSize(jsonWriter(stdout), 256<<10)
	}
	return o, nil
}

// begin opens the file of the lines. If the run can be resumed, that is the existing file, cut off at the checkpoint;
// otherwise a new file is put in place at the end.
func (o *replayOutput) begin(point *lines.Checkpoint, resumable bool) error {
	if o.linesPath == "" {
		return nil
	}
	var err error
	if !resumable {
		if o.whole, err = wholefile.Create(o.linesPath, resultMode); err == nil {
			o.lines.Reset(o.whole)
		}
		return err
	}
	if o.file, err = os.OpenFile(o.linesPath, os.O_CREATE|os.O_RDWR, resultMode); err != nil {
		return err
	}
	info, err := o.file.Stat()
	if err == nil && info.Mode().IsRegular() {
		if info.Size() < point.Written {
			return hinted(fmt.Errorf("%s has %d bytes, and had %d when the run was interrupted", o.linesPath, info.Size(), point.Written), "begin again without the checkpoint")
		}
		if err = o.file.Truncate(point.Written); err == nil {
			_, err = o.file.Seek(point.Written, io.SeekStart)
		}
	}
	o.lines.Reset(o.file)
	return err
}

func (o *replayOutput) line(text []byte) error {
	if o.lines == nil {
		return nil
	}
	if _, err := o.lines.Write(text); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// A replayMade is what is written about one request.
type replayMade struct {
	line []byte
	row  *pages.RequestRow
}

// prepare creates the rows of the HTML page, if there is to be one.
func (o *replayOutput) prepare(redactor *redact.Redactor) {
	if hasPage(o.summaries) {
		o.rows = pages.NewReplayRows(document.Options{Verbose: o.verbose, Redactor: redactor})
	}
}

// make makes what is written about a line. It may be called concurrently.
func (o *replayOutput) make(l *lines.Line, a *lines.Account) (m replayMade, err error) {
	if o.lines != nil {
		if m.line, err = l.JSON(); err != nil {
			return m, err
		}
	}
	if o.rows != nil {
		m.row, err = o.rows.Make(l, a)
	}
	return m, err
}

// take writes what was made; it is called in the order of the requests.
func (o *replayOutput) take(m replayMade) error {
	if o.rows != nil {
		o.rows.Add(m.row)
	}
	return o.line(m.line)
}

func (o *replayOutput) end(e lines.End) error {
	if o.lines == nil {
		return nil
	}
	text, err := e.JSON()
	if err == nil {
		err = o.line(text)
	}
	if err == nil {
		err = o.lines.Flush()
	}
	if o.whole != nil {
		if err = o.whole.End(err); err != nil {
			err = fmt.Errorf("writing the result: %w", err)
		}
	}
	return err
}

// sync writes all lines to disk and returns the size of the file.
func (o *replayOutput) sync() (int64, error) {
	if o.file == nil {
		return 0, nil
	}
	if err := errors.Join(o.lines.Flush(), o.file.Sync()); err != nil {
		return 0, err
	}
	return o.file.Seek(0, io.SeekCurrent)
}

// abort keeps what was written if the run can be resumed; otherwise it leaves the previous file in place.
func (o *replayOutput) abort() error {
	if o.lines == nil {
		return nil
	}
	if o.whole != nil {
		_ = o.whole.End(wholefile.ErrUnfinished) // the reason has been reported
		return nil
	}
	return o.lines.Flush()
}

// summary writes the summary to all outputs, and ends them.
func (o *replayOutput) summary(s lines.Summary) error {
	for _, to := range o.summaries {
		var b bytes.Buffer
		if err := formats.WriteReplay(&b, to.format, s, o.rows, document.Options{Verbose: o.verbose, Colour: to.colour, Columns: to.columns}); err != nil {
			return err
		}
		var err error
		if to.path == "" {
			_, err = o.stdout.Write(b.Bytes())
		} else {
			err = wholefile.Write(to.path, b.Bytes(), resultMode)
		}
		if err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	if o.file != nil {
		return o.file.Close()
	}
	return nil
}
