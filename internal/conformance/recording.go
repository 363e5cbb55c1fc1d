// Package conformance runs requests that a real kube-apiserver answered through admsim, and compares everything that
// the server did: code, body, warnings, audit annotations, and every call of a webhook with its whole review.
//
// The format of the recordings is described next to them. Everything is compared, except for what that description
// excludes; see normalize.go and package steady.
package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance/plugincall"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Recording is a scenario that was played against a server. Its fields are in the order in which they are written.
type Recording struct {
	ID         string                       `json:"id"`
	Title      string                       `json:"title"`
	Profile    string                       `json:"profile"`
	Settle     string                       `json:"settle,omitempty"` // how long a server takes to notice the configurations
	Cluster    []json.RawMessage            `json:"cluster,omitempty"`
	Configs    []json.RawMessage            `json:"configs,omitempty"`
	Webhooks   map[string][]json.RawMessage `json:"webhooks,omitempty"`
	Kubernetes string                       `json:"kubernetes,omitempty"` // empty: 1.36

	// Authorization holds the modes of the server, if requests are authorized. All servers had Node and RBAC, and most
	// requests come from a user who may do everything.
	Authorization []string `json:"authorization,omitempty"`

	Plugin *plugincall.Call `json:"plugin,omitempty"` // that was asked instead of a server, about the objects in Cluster

	Requests []Request `json:"requests"`

	dir string // of the recordings
}

// release returns the release of the recorded server.
func (r *Recording) release() (*kubeversion.Release, error) {
	return kubeversion.Parse(cmp.Or(r.Kubernetes, UnnamedRelease))
}

// Theme returns the part of the ID that names the subject of the recording.
func (r Recording) Theme() string { return theme(r.ID) }

// theme cuts an ID before its first dash, or before the second if the first word alone is too general: validate-pod,
// random-chain.
func theme(id string) string {
	words := strings.Split(id, "-")
	if len(words) > 1 && slices.Contains([]string{"api", "match", "random", "fault", "validate", "mutate", "dry", "review", "config", "upstream", "plugin"}, words[0]) {
		words = words[:2]
	} else {
		words = words[:1]
	}
	return strings.Join(words, "-")
}

// A Request is a request of a recording, with its answer.
type Request struct {
	ID          string          `json:"id"`
	Verb        string          `json:"verb"`
	Group       string          `json:"group,omitempty"`
	Version     string          `json:"version"`
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource,omitempty"`
	Namespace   string          `json:"namespace,omitempty"`
	Name        string          `json:"name,omitempty"`
	User        string          `json:"user,omitempty"`
	Groups      []string        `json:"groups,omitempty"`
	Query       string          `json:"query,omitempty"`
	PatchType   string          `json:"patchType,omitempty"`
	Object      json.RawMessage `json:"object,omitempty"`
	Vary        string          `json:"vary,omitempty"` // parts that differ from run to run, separated by commas
	Expect      any             `json:"expect"`
}

// Load reads the recordings in a folder, sorted by file name: a file has one recording (*.json) or one on each line
// (*.jsonl). Subfolders are ignored.
func Load(dir string) ([]Recording, error) {
	var names []string
	for _, pattern := range []string{"*.json", "*.jsonl"} {
		matching, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		names = append(names, matching...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no recordings (*.json, *.jsonl) in %s", dir)
	}
	var all []Recording
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
			r := Recording{dir: dir}
			if err := decoder.Decode(&r); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// Encode returns the recording as it is written: the head over many lines, then a line for each request.
func (r *Recording) Encode() ([]byte, error) {
	head := *r
	head.Requests = []Request{}
	text, err := encode(head)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", " "); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("]\n}"))
	for i := range r.Requests {
		if i > 0 {
			b.WriteByte(',')
		}
		request := r.Requests[i]
		if request.Expect, err = ordered(request.Expect); err != nil {
			return nil, fmt.Errorf("%s: %w", request.ID, err)
		}
		line, err := encode(request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request.ID, err)
		}
		b.WriteString("\n  ")
		b.Write(line)
	}
	b.WriteString("\n ]\n}\n")
	return b.Bytes(), nil
}

// An expectation is an answer. Its fields are in the order in which they are written.
type expectation struct {
	Code             int               `json:"code"`
	Body             any               `json:"body"`
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Calls            []struct {
		Webhook string `json:"webhook"`
		Phase   string `json:"phase"`
		Query   string `json:"query"`
		Review  any    `json:"review"`
	} `json:"calls,omitempty"`
}

func ordered(expect any) (expectation, error) {
	var e expectation
	text, err := json.Marshal(expect)
	if err != nil {
		return e, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return e, decoder.Decode(&e)
}

// encode returns readable JSON: characters with a meaning in HTML are not escaped.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
