package lines

import (
	"bytes"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// ReplayKind is the kind of the document about a whole recording.
const ReplayKind = "Replay"

// A Replay is the result for a recording.
type Replay struct {
	report.TypeMeta
	Summary
}

// Document converts the summary to the form that is shown.
func (s Summary) Document() Replay { return Replay{document.TypeMeta(ReplayKind), s} }

// JSON returns the line as JSON.
func (l *Line) JSON() ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, l)
	return b.Bytes(), err
}

// A ReplayLast is the last line of a replay. It shows that no line is missing.
type ReplayLast struct {
	End End `json:"end"`
}

// JSON returns the last line, which follows all others.
func (e End) JSON() ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, ReplayLast{e})
	return b.Bytes(), err
}
