package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/redact"
)

// ReviewLine is an audit event as admsim record would have written its review, on one
// line; without secrets, unless there is no redactor.
func ReviewLine(l *recording.Line, r *redact.Redactor) ([]byte, error) {
	line, err := withoutSecrets(l, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = encode(&b, line)
	return b.Bytes(), err
}

// ReviewFile is the review alone, as a manifest.
func ReviewFile(l *recording.Line, r *redact.Redactor) ([]byte, error) {
	line, err := withoutSecrets(l, r)
	if err != nil {
		return nil, err
	}
	review, _ := line["review"].(map[string]any)
	return toYAML(review)
}

// withoutSecrets is the line as JSON has it. One pass goes over all of it, so that the
// same secret is the same word everywhere.
func withoutSecrets(l *recording.Line, r *redact.Redactor) (map[string]any, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	var line map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&line); err != nil || r == nil {
		return line, err
	}
	pass := r.Begin()
	kind := l.Review.Request.Kind
	review, _ := line["review"].(map[string]any)
	request, _ := review["request"].(map[string]any)
	answer, _ := line["answer"].(map[string]any)
	for _, at := range []struct {
		in  map[string]any
		key string
	}{{request, "object"}, {request, "oldObject"}, {answer, "object"}} {
		if object, ok := at.in[at.key].(map[string]any); ok {
			at.in[at.key] = pass.Object(object)
		}
	}
	calls, _ := line["calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		if patch, ok := call["patch"].([]any); ok {
			call["patch"] = pass.Patch(kind.Group, kind.Kind, patch)
		}
	}
	if pass.Count() == 0 {
		return line, nil
	}
	line["redacted"] = true
	for _, at := range []struct {
		in  map[string]any
		key string
	}{{review, "response"}, {answer, "status"}, {answer, "annotations"}, {line, "calls"}} {
		if v, ok := at.in[at.key]; ok {
			at.in[at.key] = texts(pass, v)
		}
	}
	return line, nil
}

// texts is v with the secrets taken out that were found, wherever they are repeated.
func texts(pass *redact.Pass, v any) any {
	switch v := v.(type) {
	case string:
		return pass.Text(v)
	case []any:
		for i := range v {
			v[i] = texts(pass, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = texts(pass, v[k])
		}
	}
	return v
}

// A RecordedSuite is a suite of recorded reviews, which expects of each what was answered.
type RecordedSuite struct {
	cases      []map[string]any
	namespaces map[string]bool
}

// Add adds a review that has a response, and returns what its file is called, without the
// extension.
func (s *RecordedSuite) Add(l *recording.Line) string {
	request := l.Review.Request
	name := fmt.Sprintf("%04d-%s-%s", len(s.cases)+1, strings.ToLower(string(request.Operation)), request.Resource.Resource)
	if request.SubResource != "" {
		name += "-" + strings.ReplaceAll(request.SubResource, "/", "-")
	}
	if s.namespaces == nil {
		s.namespaces = map[string]bool{}
	}
	if request.Namespace != "" && request.Resource.Resource != "namespaces" {
		s.namespaces[request.Namespace] = true
	}
	response := l.Review.Response
	expect := map[string]any{"allowed": response.Allowed}
	if said := response.Result; said != nil && !response.Allowed && said.Message != "" {
		expect["message"] = said.Message
	}
	s.cases = append(s.cases, map[string]any{
		"name":    name,
		"request": "requests/" + name + ".yaml",
		"expect":  expect,
	})
	return name
}

// YAML is the suite as a file.
func (s *RecordedSuite) YAML(name string) ([]byte, error) {
	return toYAML(map[string]any{
		"apiVersion": "admsim.dev/v1alpha1",
		"kind":       "Suite",
		"metadata":   map[string]any{"name": name},
		"world":      map[string]any{"load": []string{"world"}},
		"cases":      s.cases,
	})
}

// Namespaces are those that the reviews are in, as manifests with nothing but their names:
// what else the cluster held is not in reviews.
func (s *RecordedSuite) Namespaces() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s.namespaces)) {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %q}\n", name)
	}
	return b.Bytes()
}
