package projectfiles

import (
	"path"
	"path/filepath"
	"strings"
)

// Exclusions are patterns for files and folders to leave out when folders are read. A pattern matches the end of a
// path: base.yaml and ci/*.yaml, with * and ? as in a shell, which do not match slashes.
type Exclusions []string

// CheckExclusion returns an error if a pattern is invalid.
func CheckExclusion(pattern string) error {
	_, err := path.Match(filepath.ToSlash(pattern), "")
	return err
}

// Match reports whether a file or folder of that name is left out. It is not called for the contents of a folder that
// is left out.
func (e Exclusions) Match(name string) bool {
	parts := strings.Split(path.Clean(filepath.ToSlash(name)), "/")
	for _, pattern := range e {
		pattern = strings.TrimPrefix(path.Clean(filepath.ToSlash(pattern)), "**/")
		n := strings.Count(pattern, "/") + 1
		if n > len(parts) {
			continue
		}
		if ok, err := path.Match(pattern, path.Join(parts[len(parts)-n:]...)); ok && err == nil {
			return true
		}
	}
	return false
}
