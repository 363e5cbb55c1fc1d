package projectfiles

import (
	"path"
	"path/filepath"
	"strings"
)

// Exclusions are patterns of files and folders that are left out where folders are read. Each is what the name of one ends in:
// base.yaml and ci/*.yaml, with * and ? as in a shell, but not across slashes.
type Exclusions []string

// CheckExclusion reports whether a pattern can be read.
func CheckExclusion(pattern string) error {
	_, err := path.Match(filepath.ToSlash(pattern), "")
	return err
}

// Match reports whether a file or folder of that name is left out. Those in a folder that is left out are not asked about.
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
