// Package encode writes values as JSON and as YAML. The output cannot give commands to a terminal or to a CI job, and
// it is lossless: reading it gives the same value.
//
// The package does not know what the values mean.
package encode

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/admsim/admsim/internal/inert"
)

// JSON writes v as JSON on one line and escapes only what has to be escaped.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(inert.NewJSONWriter(w))
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// IndentedJSON writes v as JSON for people to read.
func IndentedJSON(w io.Writer, v any) error {
	var compact, indented bytes.Buffer
	if err := JSON(&compact, v); err != nil {
		return err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return err
	}
	_, err := w.Write(indented.Bytes())
	return err
}
