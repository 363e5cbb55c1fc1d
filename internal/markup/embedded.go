package markup

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/admsim/admsim/internal/inert"
)

// A Source is a style or a script that is part of the program.
type Source struct{ text string }

// Embedded returns the text of an embedded file, which only the compiler can provide.
func Embedded(files embed.FS, name piece) Source {
	text, err := files.ReadFile(string(name))
	if err != nil {
		panic(err) // it is not among the embedded files
	}
	return Source{string(text)}
}

func (s Source) String() string { return s.text }

// Hash returns the hash by which a Content-Security-Policy allows it.
func (s Source) Hash() string {
	sum := sha256.Sum256([]byte(s.text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Style writes an element with a style.
func (w *Writer) Style(s Source) { w.element("<style>", s.text, "</style>") }

// Script writes an element with a script.
func (w *Writer) Script(s Source) { w.element("<script>", s.text, "</script>") }

// Data writes a value as JSON that scripts read, and a browser does not run.
func (w *Writer) Data(id piece, value any) error {
	text, err := json.Marshal(value) // it escapes every <
	if err != nil {
		return fmt.Errorf("data %s of a page: %w", id, err)
	}
	var b bytes.Buffer
	_, err = inert.NewJSONWriter(&b).Write(text)
	w.data(id, b.String())
	return err
}

func (w *Writer) data(id piece, text string) {
	w.element(`<script type="application/json" id="`+id+`">`, text, "</script>")
}

func (w *Writer) element(begin piece, text string, end piece) {
	w.Put(begin)
	w.text = append(w.text, text...)
	w.Put(end)
}
