package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/report/words"
)

// fileError words an error about a file the same way wherever it occurred: FILE: no such file, instead of what the
// system calls it in text. The hint is for a file that does not exist.
func fileError(err error, text string) (words, hint string) {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return text, ""
	}
	if errors.Is(at.Err, fs.ErrNotExist) {
		hint = nearestFile(at.Path)
	}
	return strings.Replace(text, at.Error(), at.Path+": "+manifest.WhyUnread(at), 1), hint
}

// nearestFile returns a hint about a file that does not exist: a file with a similar name, or else what its folder
// contains. There is no hint for a file in an archive.
func nearestFile(name string) string {
	if strings.HasPrefix(name, "https:/") || strings.HasPrefix(name, "http:/") {
		return "admsim does not fetch URLs: download the file, or pipe it to admsim and name it -"
	}
	missing, folder := filepath.Clean(name), filepath.Dir(name)
	for {
		_, err := os.Stat(folder)
		if err == nil || folder == filepath.Dir(folder) {
			break
		}
		missing, folder = folder, filepath.Dir(folder)
	}
	found, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	var names []string
	for _, one := range found {
		names = append(names, one.Name())
	}
	if slices.Contains(names, filepath.Base(missing)) {
		return fmt.Sprintf("%q is a link to something that does not exist", missing)
	}
	if near := didyoumean.Nearest(filepath.Base(missing), names); near != "" {
		return fmt.Sprintf("did you mean %q?", filepath.Join(folder, near))
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	if len(names) == 0 {
		return wholeFolder(folder) + " is empty"
	}
	return fmt.Sprintf("%s has %s", wholeFolder(folder), words.Few(names))
}
