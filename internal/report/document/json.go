package document

import (
	"io"

	"github.com/admsim/admsim/pkg/report"
)

// A whole is a format that has one document for all results.
type Whole struct {
	W     io.Writer
	Write func(io.Writer, any) error
	kind  string
	all   []any
}

func (s *Whole) Result(r *Answer) error {
	s.kind, s.all = r.Kind, append(s.all, r.forget())
	return nil
}

func (s *Whole) Explanation(e *Explanation) error {
	s.kind, s.all = e.Kind, append(s.all, e)
	return nil
}

// A list is several documents in one.
type list struct {
	report.TypeMeta
	Items []any `json:"items"`
}

func (s *Whole) Close() error {
	switch len(s.all) {
	case 0:
		return nil
	case 1:
		return s.Write(s.W, s.all[0])
	}
	return s.Write(s.W, list{typeMeta(s.kind + "List"), s.all})
}
