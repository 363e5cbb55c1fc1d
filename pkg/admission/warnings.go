package admission

import (
	"unicode"
	"unicode/utf8"
)

// A response has room for warningsRoom characters of warnings. If there are more, each warning is cut to warningCut
// characters (W-255: kubernetes/apiserver:pkg/endpoints/filters/warning.go).
const (
	warningsRoom = 4096
	warningCut   = 256
)

// Warnings collects the warnings of one request as the server sends them. Warnings that are empty, repeated or contain
// control characters are dropped (W-254), and all are cut if together they are too long. The zero value is ready to
// use.
type Warnings struct {
	texts   []string // as added
	sent    []string // as sent
	seen    map[string]bool
	length  int // of sent, in characters
	cutting bool
}

// Add adds one warning.
func (w *Warnings) Add(text string) {
	if text == "" || w.seen[text] || w.cutting && w.length >= warningsRoom {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[text] = true
	w.texts = append(w.texts, text)

	switch {
	case w.cutting:
		w.send(cut(text))
	case !printable(text) || w.length+utf8.RuneCountInString(text) <= warningsRoom:
		w.send(text)
	default:
		w.cutting = true
		w.sent, w.length = nil, 0
		for _, earlier := range w.texts { // all of them, even if there is no room for new ones
			w.send(cut(earlier))
		}
	}
}

// List returns the warnings to send, in order.
func (w *Warnings) List() []string { return w.sent }

// Texts returns the warnings as they were added, without duplicates, in order.
func (w *Warnings) Texts() []string { return w.texts }

// send adds a text to the sent warnings if a header can hold it.
func (w *Warnings) send(text string) {
	if printable(text) {
		w.sent = append(w.sent, text)
		w.length += utf8.RuneCountInString(text)
	}
}

// cut shortens text to warningCut characters.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= warningCut {
		return text
	}
	return string([]rune(text)[:warningCut])
}

func printable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}
