package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// This file contains what is only needed for releases older than those that the tool was written for. Releases are
// given by their minor versions.

// flagsOf returns the flags that only older servers need.
func flagsOf(minor int) []string {
	if minor < 20 {
		return []string{"--insecure-port=0"} // otherwise, the server listens on 8080
	}
	return nil
}

// readyPath returns the path at which a server reports that it is ready. /healthz succeeds before the informers are in
// sync.
func readyPath(minor int) string {
	if minor < 16 {
		return "/healthz"
	}
	return "/readyz"
}

var versionWords = regexp.MustCompile(`^Kubernetes v1\.(\d+)\.`)

// minorOf asks a kube-apiserver for its minor version.
func minorOf(ctx context.Context, binary string) (int, error) {
	out, err := exec.CommandContext(ctx, binary, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s --version: %w", binary, err)
	}
	m := versionWords.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s --version: %q names no release", binary, out)
	}
	return strconv.Atoi(string(m[1]))
}

// Servers up to 1.18 were built with Go 1.13 or older, whose net/url has the method unquoted. Its text is part of the
// error about a webhook that such a server cannot reach.
const (
	quotedSince = 19
	quoted      = `func (e *Error) Error() string { return fmt.Sprintf("%s %q: %s", e.Op, e.URL, e.Err) }`
	unquoted    = `func (e *Error) Error() string { return fmt.Sprintf("%s %s: %s", e.Op, e.URL, e.Err) }`
)

// writeOverlay writes the files of the standard library that have to be as they were when a release was built into
// folder, and returns the flags that make the go command use them.
func writeOverlay(ctx context.Context, minor int, folder string) (flags []string, err error) {
	if minor >= quotedSince {
		return nil, nil
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "net", "url", "url.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(text), quoted) {
		return nil, fmt.Errorf("%s has no %s", file, quoted)
	}
	own := filepath.Join(folder, "url.go.txt")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: own}})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(folder, "overlay.json")
	return []string{"-overlay=" + list}, errors.Join(
		os.WriteFile(own, []byte(strings.Replace(string(text), quoted, unquoted, 1)), 0o644),
		os.WriteFile(list, overlay, 0o644))
}
