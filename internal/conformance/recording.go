// Package conformance plays requests that a real kube-apiserver answered through admsim,
// and compares everything that the server did: code, body, warnings, audit annotations,
// and every call of a webhook with its whole review.
//
// The form of the recordings is described beside them. Nothing is forgiven but what
// that description says is not compared, see normalize.go and package steady.
package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Recording is one scenario that was played against a server.
type Recording struct {
	ID         string                       `json:"id"`
	Title      string                       `json:"title"`
	Profile    string                       `json:"profile"`
	Kubernetes string                       `json:"kubernetes"` // empty: 1.36
	Cluster    []json.RawMessage            `json:"cluster"`
	Configs    []json.RawMessage            `json:"configs"`
	Webhooks   map[string][]json.RawMessage `json:"webhooks"`
	Requests   []Request                    `json:"requests"`

	dir string // of the recordings
}

// Theme is the part of the id that says what the recording is about.
func (r Recording) Theme() string { return theme(r.ID) }

// theme cuts an id before its first dash, or before the second where the first word says
// little: validate-pod, random-chain.
func theme(id string) string {
	words := strings.Split(id, "-")
	if len(words) > 1 && slices.Contains([]string{"api", "match", "random", "fault", "validate", "mutate", "dry", "review", "config"}, words[0]) {
		words = words[:2]
	} else {
		words = words[:1]
	}
	return strings.Join(words, "-")
}

// A Request is one request of a recording, and the answer.
type Request struct {
	ID          string          `json:"id"`
	Verb        string          `json:"verb"`
	Group       string          `json:"group"`
	Version     string          `json:"version"`
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource"`
	Namespace   string          `json:"namespace"`
	Name        string          `json:"name"`
	PatchType   string          `json:"patchType"`
	Query       string          `json:"query"`
	Object      json.RawMessage `json:"object"`
	User        string          `json:"user"`
	Groups      []string        `json:"groups"`
	Expect      any             `json:"expect"`
	Vary        string          `json:"vary"`
}

// Load reads the recordings of a folder, by name. Folders in it are not looked into.
func Load(dir string) ([]Recording, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no recordings (*.json) in %s", dir)
	}
	var all []Recording
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r Recording
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.dir = dir
		all = append(all, r)
	}
	return all, nil
}
