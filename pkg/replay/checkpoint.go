package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/admsim/admsim/pkg/recording"
)

// A Checkpoint is how far a run has come, so that another one can go on from there.
type Checkpoint struct {
	Version int                 `json:"version"`
	Of      string              `json:"of"` // which run it is: what it reads, and how
	At      *recording.Position `json:"at,omitempty"`
	Written int64               `json:"written"` // bytes of lines
	Done    bool                `json:"done,omitempty"`
	Summary Summary             `json:"summary"`
}

const checkpointVersion = 1

// LoadCheckpoint reads a checkpoint of the run that is called so. One that does not exist
// is that of a run that has not begun.
func LoadCheckpoint(path, of string) (Checkpoint, error) {
	c := Checkpoint{Version: checkpointVersion, Of: of}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	var found Checkpoint
	if err := json.Unmarshal(text, &found); err != nil {
		return c, fmt.Errorf("%s is no checkpoint: %w", path, err)
	}
	if found.Version != c.Version || found.Of != of {
		return c, fmt.Errorf("%s is the checkpoint of another run: of %s", path, found.Of)
	}
	return found, nil
}

// Save writes the checkpoint to path, so that at any moment there is a whole one.
func (c Checkpoint) Save(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
