package inert

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// A Writer writes text to another writer and makes it inert. It may be used by several goroutines; each write is passed
// on in one piece.
type Writer struct {
	w io.Writer

	mu      sync.Mutex
	escaper escaper
	pending []byte // an incomplete rune or mark
}

// NewWriter returns a writer of text.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// NewJSONWriter returns a writer of JSON, which writes what is not inert in strings as escapes. The JSON keeps its
// meaning; only invalid UTF-8 becomes U+FFFD, as it does for readers anyway.
func NewJSONWriter(w io.Writer) *Writer { return &Writer{w: w, escaper: escaper{json: true}} }

// Under returns the underlying writer.
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

// complete returns the length of p without an incomplete rune at its end.
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
