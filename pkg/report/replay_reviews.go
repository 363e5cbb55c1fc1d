package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/redact"
	"github.com/admsim/admsim/pkg/rest"
)

// ReviewLine is an audit event as admsim record would have written its review, with the
// event beside it, on one line; without secrets, unless there is no redactor.
func ReviewLine(l *recording.Line, r *redact.Redactor) ([]byte, error) {
	line, err := withoutSecrets(l, r)
	if err != nil {
		return nil, err
	}
	leaveOutBody(line)
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

// leaveOutBody leaves out the body of the event where it is the object of the review: who
// reads the line puts it there again.
func leaveOutBody(line map[string]any) {
	review, _ := line["review"].(map[string]any)
	request, _ := review["request"].(map[string]any)
	event, _ := line["event"].(map[string]any)
	if v := event["verb"]; v != rest.Create && v != rest.Update {
		return
	}
	if body, ok := event["requestObject"].(map[string]any); ok && reflect.DeepEqual(body, request["object"]) {
		delete(event, "requestObject")
	}
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
	review, _ := line["review"].(map[string]any)
	event, _ := line["event"].(map[string]any)
	pass.Event(event, review, l.Kind.Group, l.Kind.Kind)
	if pass.Count() > 0 {
		line["redacted"] = true
	}
	return line, nil
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
