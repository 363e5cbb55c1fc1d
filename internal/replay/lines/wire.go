package lines

import (
	"bytes"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// ReplayKind is the kind of what is printed about a whole recording.
const ReplayKind = "Replay"

// A Replay is what came of a recording.
type Replay struct {
	report.TypeMeta
	Summary
}

// Document puts what came of a recording into the form that is shown.
func (s Summary) Document() Replay { return Replay{document.TypeMeta(ReplayKind), s} }

// JSON is what came of one record, as a line of JSON.
func (l *Line) JSON() ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, l)
	return b.Bytes(), err
}

// A ReplayLast is the last line of a replay, from which one knows that none is missing.
type ReplayLast struct {
	End End `json:"end"`
}

// JSON is the last line, behind all others.
func (e End) JSON() ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, ReplayLast{e})
	return b.Bytes(), err
}
