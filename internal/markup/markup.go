// Package markup writes HTML in which only constants of the program are markup.
//
// A [Writer] takes pieces of HTML, with {} in place of each text, and the texts:
//
//	w.Put(`<li class="row" id="{}">{}</li>`, row.ID, row.Name)
//
// A piece is of a type that other packages cannot name: a constant becomes one by itself, and
// a string that came from anywhere else cannot. Texts are escaped so that they can stand
// between tags and in quoted values of attributes. Where else a {} must not be, no type says:
// a test of this package reads every piece of the program. What was written is [HTML], which
// can be inserted elsewhere, and taken apart into [Parts].
//
// It knows of no element: what a page is made of is up to those who write it.
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

// Len is how many bytes it has.
func (h HTML) Len() int { return len(h.text) }

// hole is where a text is to stand in a piece.
const hole = "{}"

// A Writer writes HTML. The zero value keeps it, for [Writer.HTML].
type Writer struct {
	out  io.Writer // nil: it is kept
	text []byte
	err  error
}

// room is what a Writer has at first: most of what is kept is a few thousand bytes long.
const room = 16 << 10

// atOnce is how much a Writer keeps back before it passes it on.
const atOnce = 64 << 10

// NewWriter returns a Writer that passes on what it writes; [Writer.Flush] the rest of it.
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

// PutIf writes a piece where something holds.
func (w *Writer) PutIf(holds bool, p piece) {
	if holds {
		w.Put(p)
	}
}

// PutAny writes a piece around a text, unless there is none.
func (w *Writer) PutAny(p piece, text string) {
	if text != "" {
		w.Put(p, text)
	}
}

// Insert writes what was written before.
func (w *Writer) Insert(h HTML) {
	w.text = append(w.text, h.text...)
	w.pass(atOnce)
}

// HTML is what was written; the Writer can be used again.
func (w *Writer) HTML() HTML {
	h := HTML{string(w.text)}
	w.text = w.text[:0]
	return h
}

// Flush passes on what was kept back, and returns the first error of doing so.
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

// instead is what stands for the bytes that mean something in HTML.
var instead = [utf8.RuneSelf]string{
	'"': "&#34;", '&': "&amp;", '\'': "&#39;", '<': "&lt;", '>': "&gt;",
}

// insteadOfCommands is the same with what commands to runners are made of.
var insteadOfCommands = func() [utf8.RuneSelf]string {
	all := instead
	all[':'], all['['] = "&#58;", "&#91;"
	return all
}()

// Text writes a text. What of it cannot be seen is written as package inert shows it, and a page
// that is printed to a log gives no command either.
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
