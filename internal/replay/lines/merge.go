package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/recording"
)

// An End is the last line of a run. It shows that no line before it is missing.
type End struct {
	Shard string `json:"shard,omitempty"` // I/N; empty: not sharded
	Lines int    `json:"lines"`           // before this one
}

// EndOf returns the end of a run of one shard.
func EndOf(s recording.Shard, lines int) End {
	e := End{Lines: lines}
	if s.Of > 1 {
		e.Shard = fmt.Sprintf("%d/%d", s.Index, s.Of)
	}
	return e
}

// A Part is the output of the run of one shard: lines of JSON, the last of which is an End.
type Part struct {
	Name   string
	Reader io.Reader
}

// ErrNoLine is wrapped by the error about a part with other contents.
var ErrNoLine = errors.New("not a line of admsim replay")

// ErrSameShard is wrapped by the error about two parts of the same shard.
var ErrSameShard = errors.New("same shard")

// A MissingShardsError names the shards of a run for which there is no part.
type MissingShardsError struct{ Shards []string } // as I/N

func (e *MissingShardsError) Error() string {
	if len(e.Shards) == 1 {
		return "shard " + e.Shards[0] + " is missing"
	}
	return "shards " + strings.Join(e.Shards, ", ") + " are missing"
}

// Merge calls emit for the lines of all shards of a run, in the order of an unsharded run, each with its text as it was
// written. Every shard must be there once and be complete.
func Merge(parts []Part, emit func(l *Line, text []byte) error) error {
	readers := make([]*partReader, len(parts))
	for i, p := range parts {
		readers[i] = &partReader{name: p.Name, reader: bufio.NewReaderSize(p.Reader, 256<<10)}
		if err := readers[i].next(); err != nil {
			return err
		}
	}
	for {
		first := earliest(readers)
		if first == nil {
			return checkEnds(readers)
		}
		if err := emit(first.line, first.text); err != nil {
			return err
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}

// earliest returns the reader whose line comes next, or nil if none has one.
func earliest(readers []*partReader) (first *partReader) {
	for _, r := range readers {
		if r.end == nil && (first == nil || before(r.line, first.line)) {
			first = r
		}
	}
	return first
}

func before(a, b *Line) bool {
	return a.Source < b.Source || a.Source == b.Source && a.Offset < b.Offset
}

// A partReader reads one part, line by line.
type partReader struct {
	name   string
	reader *bufio.Reader
	read   int
	line   *Line
	text   []byte
	end    *End
}

func (p *partReader) next() error {
	text, err := p.reader.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s ends after line %d without a summary: its run was interrupted", p.name, p.read)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	var l struct {
		Line
		End *End `json:"end"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%s:%d: %w: %w", p.name, p.read+1, ErrNoLine, err)
	}
	if l.End != nil {
		p.end, p.line, p.text = l.End, nil, nil
		return p.checkEnd()
	}
	if l.Outcome == "" {
		return fmt.Errorf("%s:%d: %w", p.name, p.read+1, ErrNoLine)
	}
	p.read++
	if p.line != nil && !before(p.line, &l.Line) {
		return fmt.Errorf("%s:%d: belongs before the line above it", p.name, p.read)
	}
	p.line, p.text = &l.Line, text
	return nil
}

func (p *partReader) checkEnd() error {
	if p.end.Lines != p.read {
		return fmt.Errorf("%s has %d lines, but its summary counts %d", p.name, p.read, p.end.Lines)
	}
	if _, err := p.reader.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s continues after its summary: it contains several runs", p.name)
	}
	return nil
}

// checkEnds checks that the parts are all shards of one run.
func checkEnds(readers []*partReader) error {
	if len(readers) == 0 {
		return errors.New("there is nothing to merge")
	}
	names := map[int]string{}
	of := 0
	for _, r := range readers {
		s := recording.Shard{Of: 1}
		if r.end.Shard != "" {
			var err error
			if s, err = recording.ParseShard(r.end.Shard); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		if of != 0 && of != s.Of {
			return fmt.Errorf("%s is one of %d shards, and %s one of %d", r.name, s.Of, readers[0].name, of)
		}
		of = s.Of
		if other, twice := names[s.Index]; twice {
			return fmt.Errorf("%s and %s are the %w", other, r.name, ErrSameShard)
		}
		names[s.Index] = r.name
	}
	var missing []string
	for i := range of {
		if _, ok := names[i]; !ok {
			missing = append(missing, EndOf(recording.Shard{Index: i, Of: of}, 0).Shard)
		}
	}
	if missing != nil {
		return &MissingShardsError{missing}
	}
	return nil
}
