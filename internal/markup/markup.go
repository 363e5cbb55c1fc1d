// Package markup writes HTML in which only constants of the program are markup.
//
// A [Writer] takes pieces of HTML, with {} in place of each text, and the texts:
//
//	w.Put(`<li class="row" id="{}">{}</li>`, row.ID, row.Name)
//
// The type of pieces is not exported: an untyped constant is converted to it implicitly, and a string from elsewhere
// cannot be. Texts are escaped so that they can be placed between tags and in quoted values of attributes. No type
// prevents a {} in other places: a test of this package reads every piece of the program. The result is [HTML], which
// can be inserted elsewhere, and split into [Parts].
//
// The package knows no elements: its callers decide what a page is made of.
package markup

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/admsim/admsim/internal/inert"
)

// A piece is markup from the source of the program.
type piece string

// HTML is what a Writer wrote.
type HTML struct{ text string }

func (h HTML) String() string { return h.text }

// Len returns its length in bytes.
func (h HTML) Len() int { return len(h.text) }

// hole marks the place of a text in a piece.
const hole = "{}"

// A Writer writes HTML. The zero value keeps it, for [Writer.HTML].
type Writer struct {
	out  io.Writer // nil: the HTML is kept
	text []byte
	err  error
}

// room is the initial capacity of a Writer: most HTML that is kept is a few thousand bytes long.
const room = 16 << 10

// atOnce is how much a Writer buffers before it passes it on.
const atOnce = 64 << 10

// NewWriter returns a Writer that passes on what it writes; [Writer.Flush] passes on the rest.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Put writes a piece, with texts in its holes.
func (w *Writer) Put(p piece, texts ...string) {
	if w.text == nil {
		w.text = make([]byte, 0, room)
	}
	rest := string(p)
	for _, text := range texts {
		before, after, found := strings.Cut(rest, hole)
		if !found {
			panic("there is no {} for a text in " + rest)
		}
		w.text = append(w.text, before...)
		w.Text(text)
		rest = after
	}
	w.text = append(w.text, rest...)
	w.pass(atOnce)
}

// PutIf writes a piece if holds is true.
func (w *Writer) PutIf(holds bool, p piece) {
	if holds {
		w.Put(p)
	}
}

// PutAny writes a piece around a text, unless the text is empty.
func (w *Writer) PutAny(p piece, text string) {
	if text != "" {
		w.Put(p, text)
	}
}

// Insert writes HTML that was written before.
func (w *Writer) Insert(h HTML) {
	w.text = append(w.text, h.text...)
	w.pass(atOnce)
}

// HTML returns what was written; the Writer can be used again.
func (w *Writer) HTML() HTML {
	h := HTML{string(w.text)}
	w.text = w.text[:0]
	return h
}

// Flush passes on what was buffered, and returns the first error.
func (w *Writer) Flush() error {
	w.pass(0)
	return w.err
}

func (w *Writer) pass(above int) {
	if w.out == nil || len(w.text) <= above {
		return
	}
	if w.err == nil {
		_, w.err = w.out.Write(w.text)
	}
	w.text = w.text[:0]
}

// instead replaces the bytes that have a meaning in HTML.
var instead = [utf8.RuneSelf]string{
	'"': "&#34;", '&': "&amp;", '\'': "&#39;", '<': "&lt;", '>': "&gt;",
}

// insteadOfCommands also replaces the characters that commands to runners consist of.
var insteadOfCommands = func() [utf8.RuneSelf]string {
	all := instead
	all[':'], all['['] = "&#58;", "&#91;"
	return all
}()

// Text writes a text. Invisible characters are written as package inert shows them, so that a page that is printed to a
// log gives no commands either.
func (w *Writer) Text(text string) {
	instead := &instead
	if !inert.Is(text) {
		text, instead = inert.Shown(text), &insteadOfCommands
	}
	from := 0
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf {
			continue
		}
		if other := instead[b]; other != "" {
			w.text = append(append(w.text, text[from:i]...), other...)
			from = i + 1
		}
	}
	w.text = append(w.text, text[from:]...)
}
