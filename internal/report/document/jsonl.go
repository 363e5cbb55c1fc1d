package document

import (
	"io"

	"github.com/admsim/admsim/internal/encode"
)

// lines writes each result as a line of JSON.
type lines struct{ w io.Writer }

func NewLines(w io.Writer, _ Options) Sink { return lines{w} }

func (s lines) Result(r *Answer) error { return encode.JSON(s.w, r.Result) }

func (s lines) Explanation(e *Explanation) error { return encode.JSON(s.w, e) }

func (s lines) Close() error { return nil }
