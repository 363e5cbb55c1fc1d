package document

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/pkg/report"
)

// Whole writes one document for all results: the only one, or a list of them. The list is written as results arrive.
type Whole struct {
	W     io.Writer
	Write func(io.Writer, any) error
	List  encode.NewList

	kind  string
	first any // until there is a second one
	list  encode.List
}

func (s *Whole) Result(r *Answer) error { return s.add(r.Kind, r.Result) }

func (s *Whole) Explanation(e *Explanation) error { return s.add(e.Kind, e) }

func (s *Whole) add(kind string, v any) error {
	switch {
	case s.list != nil:
		return s.list.Item(v)
	case s.first == nil:
		s.kind, s.first = kind, v
		return nil
	}
	s.list = s.List(s.W, report.APIVersion, s.kind+"List")
	first := s.first
	s.first = nil
	if err := s.list.Item(first); err != nil {
		return err
	}
	return s.list.Item(v)
}

func (s *Whole) Close() error {
	switch {
	case s.list != nil:
		return s.list.End()
	case s.first != nil:
		return s.Write(s.W, s.first)
	}
	return nil
}

// Decoded parses JSON, keeping numbers as they are written.
func Decoded(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
