package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A recordedSuite has a case for each of some recorded reviews, which expects the answer of the cluster.
type recordedSuite struct {
	cases []map[string]any
	added int
}

// add adds a case for a line with a review. It returns the name of the case, and the contents of the request file of
// that name. Secrets are removed, unless r is nil.
func (s *recordedSuite) add(l *recording.Line, r *redact.Redactor) (name string, file []byte, err error) {
	line, err := withoutSecrets(l, r)
	if err != nil {
		return "", nil, err
	}
	s.added++
	request := l.Review.Request
	name = fmt.Sprintf("%04d-%s-%s", s.added, strings.ToLower(string(request.Operation)), request.Resource.Resource)
	if request.SubResource != "" {
		name += "-" + strings.ReplaceAll(request.SubResource, "/", "-")
	}
	event, _ := line["event"].(map[string]any)
	s.cases = append(s.cases, map[string]any{
		"name":    name,
		"request": "requests/" + name + ".yaml",
		"expect":  expected(event),
	})
	review, _ := line["review"].(map[string]any)
	delete(review, "response") // the response is what the case expects
	file, err = encode.YAML(review)
	return name, file, err
}

// expected returns the answer of the cluster as an expectation.
func expected(event map[string]any) map[string]any {
	var answer struct {
		Code    int
		Message string
	}
	for _, at := range []string{"responseObject", "responseStatus"} {
		if v, ok := event[at].(map[string]any); ok && (at == "responseStatus" || v["kind"] == "Status") {
			text, _ := json.Marshal(v)        // decoded from JSON before
			_ = json.Unmarshal(text, &answer) // a field of another type stays unknown
		}
	}
	if answer.Code < 400 {
		return map[string]any{"allowed": true}
	}
	expect := map[string]any{"allowed": false, "code": answer.Code}
	if answer.Message != "" {
		expect["message"] = answer.Message
	}
	return expect
}

// keep keeps the cases for whose names passes returns true.
func (s *recordedSuite) keep(passes func(name string) bool) {
	s.cases = slices.DeleteFunc(s.cases, func(c map[string]any) bool { return !passes(c["name"].(string)) })
}

// yaml returns the suite as a file, with its keys in reading order. If release is nil, it names none.
func (s *recordedSuite) yaml(name string, release *kubeversion.Release) ([]byte, error) {
	world := map[string]any{"load": []string{"world"}}
	if release != nil {
		world["kubernetesVersion"] = release.Version
	}
	text, err := yamlInOrder(map[string]any{
		"apiVersion": apiversion.Written,
		"kind":       "Suite",
		"metadata":   map[string]any{"name": name},
		"world":      world,
	}, "apiVersion", "kind", "metadata", "world")
	if err != nil {
		return nil, err
	}
	text = append(text, "cases:\n"...)
	for _, c := range s.cases {
		one, err := yamlInOrder(c, "name", "request", "expect")
		if err != nil {
			return nil, err
		}
		text = append(text, asItem(one)...)
	}
	return text, nil
}

// yamlInOrder writes these fields of an object, and no others.
func yamlInOrder(object map[string]any, fields ...string) (text []byte, err error) {
	for _, name := range fields {
		one, err := encode.YAML(map[string]any{name: object[name]})
		if err != nil {
			return nil, err
		}
		text = append(text, one...)
	}
	return text, nil
}

// asItem returns YAML as an item of a list.
func asItem(text []byte) (item []byte) {
	for i, line := range bytes.SplitAfter(text, []byte("\n")) {
		switch {
		case i == 0:
			item = append(item, "- "...)
		case len(bytes.TrimSpace(line)) > 0:
			item = append(item, "  "...)
		}
		item = append(item, line...)
	}
	return item
}
