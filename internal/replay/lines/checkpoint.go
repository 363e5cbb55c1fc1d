package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/wholefile"
)

// A Checkpoint says how far a run has come, so that another run can resume it.
type Checkpoint struct {
	Version int                 `json:"version"`
	Run     []Setting           `json:"run"`   // what it reads, and how
	Began   time.Time           `json:"began"` // relative times are relative to this
	At      *recording.Position `json:"at,omitempty"`
	Written int64               `json:"written"` // bytes of lines
	Done    bool                `json:"done,omitempty"`
	Summary Summary             `json:"summary"`
}

// A Setting must stay the same until a run is complete.
type Setting struct {
	Name  string `json:"name"` // such as --namespace
	Value string `json:"value"`
}

const checkpointVersion = 2

// LoadCheckpoint reads a checkpoint. If the file does not exist, it returns the checkpoint of a run that begins now.
func LoadCheckpoint(path string, now time.Time) (c Checkpoint, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoint{Version: checkpointVersion, Began: now}, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s is not a checkpoint: %w", path, err)
	}
	if c.Version != checkpointVersion {
		return c, fmt.Errorf("%s is a checkpoint of another version of admsim", path)
	}
	return c, nil
}

// Continue makes c the checkpoint of a run with these settings. The error says how they differ from those of the run so
// far.
func (c *Checkpoint) Continue(run []Setting) error {
	if c.Run == nil {
		c.Run = run
		return nil
	}
	before, now := byName(c.Run), byName(run)
	either := maps.Clone(before)
	maps.Copy(either, now)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(either)) {
		previous, given := before[name]
		is, stays := now[name]
		switch {
		case !given:
			differ = append(differ, fmt.Sprintf("%s was not given, and is %s", name, is))
		case !stays:
			differ = append(differ, fmt.Sprintf("%s was %s, and is not given", name, previous))
		case previous != is:
			differ = append(differ, fmt.Sprintf("%s was %s, and is %s", name, previous, is))
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("it belongs to another run: %s", strings.Join(differ, "; "))
	}
	return nil
}

func byName(run []Setting) map[string]string {
	values := map[string]string{}
	for _, s := range run {
		values[s.Name] = s.Value
	}
	return values
}

// Save writes the checkpoint to path, which never contains a partial checkpoint.
func (c Checkpoint) Save(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return wholefile.Write(path, text, 0o600)
}
