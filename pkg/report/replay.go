package report

import (
	"bytes"
	"errors"
	"io"

	"github.com/admsim/admsim/internal/replay"
)

// ReplayKind is the kind of what is printed about a whole recording.
const ReplayKind = "Replay"

// A Replay is what came of a recording.
type Replay struct {
	TypeMeta
	replay.Summary
}

// ReplayLine is what came of one record, as a line of JSON.
func ReplayLine(l *replay.Line) ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, l)
	return b.Bytes(), err
}

// A replayLast is the last line of a replay, from which one knows that none is missing.
type replayLast struct {
	End replay.End `json:"end"`
}

// ReplayEnd is the last line, behind all others.
func ReplayEnd(e replay.End) ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, replayLast{e})
	return b.Bytes(), err
}

// noReplayLines refuses what [ReplayLine] is for.
func noReplayLines(io.Writer, replay.Summary, *ReplayRows, Options) error {
	return errors.New("the lines of a replay are written while it runs")
}
