package report

import (
	"bytes"
	"io"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/replay"
)

// ReplayKind is the kind of what is printed about a whole recording.
const ReplayKind = "Replay"

// A Replay is what came of a recording.
type Replay struct {
	TypeMeta
	replay.Summary
}

// ReplayFormats are the formats of a Replay, the usual one first. Lines of JSON are not
// among them: they are written while it runs, by [ReplayLine].
func ReplayFormats() []Format { return []Format{Text, JSON, YAML, HTML} }

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

// WriteReplay writes what came of a recording. Only a page shows requests; nil: none.
func WriteReplay(w io.Writer, f Format, s replay.Summary, requests *ReplayRows, o Options) error {
	of := Replay{TypeMeta{APIVersion, ReplayKind}, s}
	switch f {
	case JSON:
		return writeJSON(w, of)
	case YAML:
		return writeYAML(w, of)
	case HTML:
		return writeReplayHTML(w, s, requests, o)
	}
	_, err := io.WriteString(inert.NewWriter(w), replayText(s, o))
	return err
}
