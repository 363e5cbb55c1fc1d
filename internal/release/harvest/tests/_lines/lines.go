// Package lines writes what upstream's tests do, a line for each call. It is compiled into these tests.
package lines

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Folder is where test processes write. It is empty if nothing is recorded.
var Folder = os.Getenv("ADMSIM_HARVEST")

var (
	mu   sync.Mutex
	file *os.File
	seen = map[[sha256.Size]byte]bool{}
)

// Write writes a call as JSON, unless the process has written the same before.
func Write(call interface{}) error {
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	sum := sha256.Sum256(line)
	if seen[sum] {
		return nil
	}
	seen[sum] = true
	if file == nil {
		// A test runs in the folder of its package.
		directory, err := os.Getwd()
		if err != nil {
			return err
		}
		name := strings.Replace(strings.Trim(filepath.ToSlash(directory), "/"), "/", "_", -1) + ".jsonl"
		if file, err = os.OpenFile(filepath.Join(Folder, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0666); err != nil {
			return err
		}
	}
	_, err = file.Write(append(line, '\n'))
	return err
}
