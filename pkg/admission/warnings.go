package admission

import (
	"unicode"
	"unicode/utf8"
)

// A response has room for this much warning text; past it, each warning is cut
// (W-255: kubernetes/apiserver:pkg/endpoints/filters/warning.go).
const (
	warningsRoom = 4096
	warningCut   = 256
)

// Warnings collects the warnings of one request as the server sends them: empty ones,
// repeated ones and those with control characters are dropped, and all are cut when
// together they are too long. The zero value is ready.
type Warnings struct {
	texts   []string // as added
	sent    []string // as sent
	seen    map[string]bool
	length  int
	cutting bool
}

// Add adds one warning to what will be sent.
func (w *Warnings) Add(text string) {
	if text == "" || w.seen[text] || !printable(text) {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[text] = true
	w.texts = append(w.texts, text)

	if !w.cutting {
		if w.length+len(text) <= warningsRoom {
			w.send(text)
			return
		}
		w.cutting = true
		w.sent, w.length = nil, 0
		for _, earlier := range w.texts {
			w.sendCut(earlier)
		}
		return
	}
	w.sendCut(text)
}

// List returns the warnings to send, in order.
func (w *Warnings) List() []string { return w.sent }

func (w *Warnings) send(text string) {
	w.sent = append(w.sent, text)
	w.length += len(text)
}

func (w *Warnings) sendCut(text string) {
	if w.length >= warningsRoom {
		return
	}
	w.send(cut(text))
}

// cut shortens text to warningCut bytes without breaking a character.
func cut(text string) string {
	if len(text) <= warningCut {
		return text
	}
	end := warningCut
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
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
