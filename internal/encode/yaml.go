package encode

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
)

// WriteYAML writes the JSON of v as YAML, with the keys sorted as kubectl sorts them.
func WriteYAML(w io.Writer, v any) error {
	data, err := YAML(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// YAML returns the JSON of v as lossless, inert YAML: if it would not be inert, the texts that may be the reason are
// put in double quotes.
func YAML(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := JSON(&b, v); err != nil {
		return nil, err
	}
	d := json.NewDecoder(&b)
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return TreeYAML(tree)
}

// TreeYAML is like [YAML] for decoded JSON with numbers as [json.Number].
func TreeYAML(tree any) ([]byte, error) {
	plain, err := blockOf(tree, func(string) bool { return false })
	if err == nil && inert.Is(plain) {
		return plain, nil
	}
	return blockOf(tree, func(text string) bool {
		// A long text may be broken into lines, and a key of 1024 bytes can only be read in quotes.
		return !inert.Is(text) || strings.Contains(text, "::") || len(text) >= 1000
	})
}

func blockOf(tree any, quoted func(string) bool) ([]byte, error) {
	b := block{quoted: quoted, known: map[string]string{}}
	if err := b.document(tree); err != nil {
		return nil, err
	}
	return b.to, nil
}
