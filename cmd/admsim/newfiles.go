package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/wholefile"
)

// writeFiles writes files below a folder; their names have slashes. Either all are written or none: an existing file
// with other contents is an error, unless forced.
func writeFiles(folder string, files map[string][]byte, force bool) (written []string, err error) {
	names := slices.Sorted(maps.Keys(files))
	var there []string
	for _, name := range names {
		old, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		switch {
		case err == nil && !bytes.Equal(old, files[name]):
			there = append(there, filepath.ToSlash(filepath.Join(folder, name)))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	if len(there) > 0 && !force {
		return nil, hinted(fmt.Errorf("already there: %s", strings.Join(there, ", ")), "--force overwrites them")
	}
	for _, name := range names {
		if err := wholefile.Write(filepath.Join(folder, filepath.FromSlash(name)), files[name], resultMode); err != nil {
			return nil, err
		}
	}
	return names, nil
}
