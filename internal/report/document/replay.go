package document

import (
	"bytes"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/pkg/report"
)

// ReplayKind is the kind of what is printed about a whole recording.
const ReplayKind = "Replay"

// A Replay is what came of a recording.
type Replay struct {
	report.TypeMeta
	replay.Summary
}

// NewReplay puts what came of a recording into the form that is shown.
func NewReplay(s replay.Summary) Replay { return Replay{typeMeta(ReplayKind), s} }

// ReplayLine is what came of one record, as a line of JSON.
func ReplayLine(l *replay.Line) ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, l)
	return b.Bytes(), err
}

// A ReplayLast is the last line of a replay, from which one knows that none is missing.
type ReplayLast struct {
	End replay.End `json:"end"`
}

// ReplayEnd is the last line, behind all others.
func ReplayEnd(e replay.End) ([]byte, error) {
	var b bytes.Buffer
	err := encode.JSON(&b, ReplayLast{e})
	return b.Bytes(), err
}
