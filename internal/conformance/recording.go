// Package conformance runs requests that a real kube-apiserver answered through admsim,
// and compares everything that the server did: code, body, warnings, audit annotations,
// and every call of a webhook with its whole review.
//
// The form of the recordings is described beside them. Nothing is forgiven but what
// that description says is not compared, see normalize.go and package steady.
package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Recording is one scenario that was played against a server. Its members are in the order
// in which they are written.
type Recording struct {
	ID         string                       `json:"id"`
	Title      string                       `json:"title"`
	Profile    string                       `json:"profile"`
	Settle     string                       `json:"settle,omitempty"` // what a server takes to notice the configurations
	Cluster    []json.RawMessage            `json:"cluster,omitempty"`
	Configs    []json.RawMessage            `json:"configs,omitempty"`
	Webhooks   map[string][]json.RawMessage `json:"webhooks,omitempty"`
	Kubernetes string                       `json:"kubernetes,omitempty"` // empty: 1.36

	// Authorization are the modes of the server, where requests are authorized; all servers had Node
	// and RBAC, and most requests come from a user who may do everything.
	Authorization []string `json:"authorization,omitempty"`

	Requests []Request `json:"requests"`

	dir string // of the recordings
}

// Theme is the part of the id that says what the recording is about.
func (r Recording) Theme() string { return theme(r.ID) }

// theme cuts an id before its first dash, or before the second where the first word says
// little: validate-pod, random-chain.
func theme(id string) string {
	words := strings.Split(id, "-")
	if len(words) > 1 && slices.Contains([]string{"api", "match", "random", "fault", "validate", "mutate", "dry", "review", "config", "upstream"}, words[0]) {
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

// Load reads the recordings of a folder, by name: a file has one (*.json), or one on each line
// (*.jsonl). Folders in it are not looked into.
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

// Encode is the recording as it is written: what was asked over many lines, and a line for each
// request.
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

// An expectation is an answer, its members in the order in which they are written.
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

// encode is JSON that people read: signs that mean something in HTML are left as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
