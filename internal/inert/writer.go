package inert

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// A Writer passes on what it is given, made inert. It may be used by several goroutines; each
// write goes on in one piece.
type Writer struct {
	w io.Writer

	mu      sync.Mutex
	escaper escaper
	pending []byte // the beginning of a rune or mark, of which the rest is to come
}

// NewWriter returns a writer of text.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// NewJSONWriter returns a writer of JSON, whose strings get escapes for what is not inert. What
// is written stays the same to who reads JSON; only what is no UTF-8 becomes U+FFFD, as readers
// have it anyway.
func NewJSONWriter(w io.Writer) *Writer { return &Writer{w: w, escaper: escaper{json: true}} }

// Under is where the writer writes to.
func (w *Writer) Under() io.Writer { return w.w }

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.w.Write(w.made(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *Writer) made(p []byte) []byte {
	if after := w.escaper; len(w.pending) == 0 && passes(&after, p) {
		w.escaper = after
		return p
	}
	p = append(w.pending, p...)
	w.pending = nil
	var to []byte
	for len(p) > 0 {
		plain := len(p)
		if !w.escaper.json {
			if at := bytes.IndexByte(p, markOpens[0]); at >= 0 {
				plain = at
			}
		}
		if plain == len(p) {
			plain = complete(p)
			w.pending = bytes.Clone(p[plain:])
			return w.escaper.append(to, p[:plain])
		}
		to = w.escaper.append(to, p[:plain])
		p = p[plain:]
		switch sequence, n := marked(p); n {
		case -1:
			w.pending = bytes.Clone(p)
			return to
		case 0:
			to = w.escaper.append(to, p[:1])
			p = p[1:]
		default:
			to = append(to, sequence...)
			p = p[n:]
		}
	}
	return to
}

// complete is how much of p is not the beginning of a rune of which the rest is to come.
func complete(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if last := p[len(p)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				break
			}
			return len(p) - n
		}
	}
	return len(p)
}
