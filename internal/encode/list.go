package encode

import (
	"bytes"
	"encoding/json"
	"io"
)

// A List writes an object with an apiVersion, a kind and items, one item at a time: only one is held in memory. The
// output is the same as that of the whole object.
type List interface {
	Item(v any) error
	End() error
}

// A NewList starts a list.
type NewList func(w io.Writer, apiVersion, kind string) List

// NewJSONList returns a list in the format of [IndentedJSON].
func NewJSONList(w io.Writer, apiVersion, kind string) List {
	return &jsonList{w: w, apiVersion: apiVersion, kind: kind}
}

type jsonList struct {
	w                io.Writer
	apiVersion, kind string
	begun            bool
}

func (l *jsonList) Item(v any) error {
	var b, item bytes.Buffer
	if l.begun {
		b.WriteString(",\n    ")
	} else {
		b.WriteString("{\n  \"apiVersion\": ")
		if err := appendJSON(&b, l.apiVersion); err != nil {
			return err
		}
		b.WriteString(",\n  \"kind\": ")
		if err := appendJSON(&b, l.kind); err != nil {
			return err
		}
		b.WriteString(",\n  \"items\": [\n    ")
		l.begun = true
	}
	if err := appendJSON(&item, v); err != nil {
		return err
	}
	if err := json.Indent(&b, item.Bytes(), "    ", "  "); err != nil {
		return err
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

// appendJSON writes v without a trailing newline.
func appendJSON(b *bytes.Buffer, v any) error {
	if err := JSON(b, v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

func (l *jsonList) End() error {
	_, err := io.WriteString(l.w, "\n  ]\n}\n")
	return err
}

// NewYAMLList returns a list in the format of [WriteYAML].
func NewYAMLList(w io.Writer, apiVersion, kind string) List {
	return &yamlList{w: w, apiVersion: apiVersion, kind: kind}
}

type yamlList struct {
	w                io.Writer
	apiVersion, kind string
	begun            bool
}

func (l *yamlList) Item(v any) error {
	item, err := YAML([]any{v})
	if err != nil {
		return err
	}
	if !l.begun {
		before, err := YAML(map[string]any{"apiVersion": l.apiVersion})
		if err != nil {
			return err
		}
		item, l.begun = append(append(before, "items:\n"...), item...), true
	}
	_, err = l.w.Write(item)
	return err
}

func (l *yamlList) End() error { return WriteYAML(l.w, map[string]any{"kind": l.kind}) }
