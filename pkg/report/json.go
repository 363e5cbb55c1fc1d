package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// A whole is a format that has one document for all results.
type whole struct {
	w     io.Writer
	write func(io.Writer, any) error
	kind  string
	all   []any
}

func (s *whole) result(r *Answer) error {
	s.kind, s.all = r.Kind, append(s.all, r.forget())
	return nil
}

func (s *whole) explanation(e *Explanation) error {
	s.kind, s.all = e.Kind, append(s.all, e)
	return nil
}

// A list is several documents in one.
type list struct {
	TypeMeta
	Items []any `json:"items"`
}

func (s *whole) close() error {
	switch len(s.all) {
	case 0:
		return nil
	case 1:
		return s.write(s.w, s.all[0])
	}
	return s.write(s.w, list{TypeMeta{APIVersion, s.kind + "List"}, s.all})
}

func writeJSON(w io.Writer, v any) error {
	var compact, indented bytes.Buffer
	if err := encode(&compact, v); err != nil {
		return err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return err
	}
	_, err := w.Write(indented.Bytes())
	return err
}
