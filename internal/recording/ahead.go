package recording

import (
	"context"
	"errors"
	"io"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/ordered"
)

// A batch is a series of documents.
type batch struct {
	documents []parsed
	last      bool
}

type parsed struct {
	document *document
	record   *Record
	err      error
}

func (b *batch) parse(p *parser) {
	for i := range b.documents {
		d := &b.documents[i]
		if d.err != nil {
			continue
		}
		if d.record, d.err = p.guarded(d.document); d.err != nil {
			code := Invalid
			if errors.As(d.err, new(*foreignError)) {
				code = Broken
			}
			d.err = &BrokenError{Position: d.document.Position, Lines: 1, Err: d.err, Code: code}
		}
		d.document = nil
	}
}

// guarded parses a document and returns a panic as its error.
func (p *parser) guarded(d *document) (_ *Record, err error) {
	defer bug.Catch(&err)
	return p.parse(d)
}

// A cutter cuts the sources into batches of documents.
type cutter struct {
	reader   *Reader
	source   int
	stream   *stream
	splitter *splitter
}

// batch returns the next documents, up to about size bytes, and at least one if any is left.
func (c *cutter) batch(size int) *batch {
	b := &batch{}
	for held := 0; held < size; {
		d, err := c.next()
		if err == io.EOF {
			c.close()
			b.last = true
			break
		}
		b.documents = append(b.documents, parsed{document: &d, err: err})
		held += len(d.raw) + 200
		if broken := (*BrokenError)(nil); err != nil && !errors.As(err, &broken) {
			c.close()
			b.last = true
			break
		}
	}
	return b
}

// next returns the next document of all sources.
func (c *cutter) next() (_ document, err error) {
	defer bug.Catch(&err)
	r := c.reader
	for {
		if c.splitter == nil {
			if c.source == len(r.sources) {
				return document{}, io.EOF
			}
			source := r.sources[c.source]
			s, err := open(source, &r.read)
			if err != nil {
				return document{}, err
			}
			c.stream = s
			c.splitter = newSplitter(s, Position{Source: c.source, File: source.Name}, r.options.Largest)
		}
		d, err := c.splitter.next()
		if err != io.EOF {
			return d, err
		}
		c.close()
		c.source++
	}
}

func (c *cutter) close() {
	if c.stream != nil {
		c.stream.close()
	}
	c.stream, c.splitter = nil, nil
}

const (
	batchSize  = 256 << 10
	batchCount = 4 // per parsing goroutine
)

// readAhead splits the sources in one goroutine and parses the documents in others. The batches arrive in order.
func readAhead(ctx context.Context, c *cutter, parsers int) *ordered.Stream[*batch] {
	workers := make([]func(context.Context, *batch), parsers)
	for i := range workers {
		p := &parser{}
		workers[i] = func(_ context.Context, b *batch) { b.parse(p) }
	}
	return ordered.Start(ctx, batchCount*parsers, workers, func(_ context.Context, put func(*batch) bool) error {
		defer c.close()
		for {
			b := c.batch(batchSize)
			if !put(b) || b.last {
				return nil
			}
		}
	})
}
