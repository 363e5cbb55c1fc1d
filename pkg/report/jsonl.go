package report

import "io"

// lines writes each result as a line of JSON.
type lines struct{ w io.Writer }

func newLines(w io.Writer, _ Options) sink { return lines{w} }

func (s lines) result(r *Answer) error           { return encode(s.w, r.Result) }
func (s lines) explanation(e *Explanation) error { return encode(s.w, e) }
func (s lines) close() error                     { return nil }
