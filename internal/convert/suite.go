package convert

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/admsim/admsim/internal/scenario"
)

// A suite is a suite as it is written, see docs/suite.md.
type suite struct {
	APIVersion string     `yaml:"apiVersion"`
	Kind       string     `yaml:"kind"`
	Metadata   metadata   `yaml:"metadata"`
	World      world      `yaml:"world"`
	Defaults   *defaults  `yaml:"defaults,omitempty"`
	Cases      []testCase `yaml:"cases"`
}

type metadata struct {
	Name string `yaml:"name"`
}

type world struct {
	KubernetesVersion string   `yaml:"kubernetesVersion,omitempty"`
	Load              []string `yaml:"load,omitempty"`
	Objects           []any    `yaml:"objects,omitempty"`
}

type defaults struct {
	User *user `yaml:"user,omitempty"`
}

type user struct {
	Username string              `yaml:"username,omitempty"`
	Groups   []string            `yaml:"groups,omitempty"`
	Extra    map[string][]string `yaml:"extra,omitempty"`
}

type testCase struct {
	Name     string  `yaml:"name"`
	Skip     string  `yaml:"skip,omitempty"`
	Request  request `yaml:"request"`
	Override *world  `yaml:"override,omitempty"`
	Expect   expect  `yaml:"expect"`

	from scenario.Source // written as a comment
}

// A request is a request about an object, given inline or as the path of its file; or the path of a file with a
// request.
type request struct {
	File      string `yaml:"-"`
	Operation string `yaml:"operation,omitempty"`
	Object    any    `yaml:"object,omitempty"`
	OldObject any    `yaml:"oldObject,omitempty"`
	User      *user  `yaml:"user,omitempty"`
}

// MarshalYAML writes a request that is a file as its path.
func (r request) MarshalYAML() (any, error) {
	if r.File != "" {
		return r.File, nil
	}
	type plain request
	return plain(r), nil
}

type expect struct {
	Allowed  *bool             `yaml:"allowed,omitempty"`
	Code     int               `yaml:"code,omitempty"`
	DeniedBy map[string]string `yaml:"deniedBy,omitempty"`
	Message  any               `yaml:"message,omitempty"`
	Object   any               `yaml:"object,omitempty"`
	Trace    *traceExpect      `yaml:"trace,omitempty"`
}

type traceExpect struct {
	Called    []string `yaml:"called,omitempty"`
	NotCalled []string `yaml:"notCalled,omitempty"`
}

func newSuite(name string) suite {
	return suite{APIVersion: scenario.APIVersion, Kind: scenario.SuiteKind, Metadata: metadata{name}}
}

// deniedBy is the expectation if a policy refuses a request, called if it admits the request, and notCalled if it does
// not apply.
func deniedBy(policy string) expect { return expect{DeniedBy: map[string]string{"policy": policy}} }
func called(policy string) expect {
	return expect{Allowed: new(true), Trace: &traceExpect{Called: []string{policy}}}
}
func notCalled(policy string) expect {
	return expect{Allowed: new(true), Trace: &traceExpect{NotCalled: []string{policy}}}
}

// yaml returns s as text, each case with the place that it comes from.
func (s suite) yaml() []byte {
	var node yaml.Node
	must(node.Encode(s))
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Value != "cases" {
			continue
		}
		for j, one := range node.Content[i+1].Content {
			if from := s.Cases[j].from; from.File != "" {
				one.HeadComment = "from " + from.String()
			}
		}
	}
	return encode(&node)
}

// encode encodes a value with an indentation of two spaces.
func encode(v any) []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	must(e.Encode(v))
	must(e.Close())
	return b.Bytes()
}

// must panics if a generated value cannot be written, which is a bug.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("writing YAML: %v", err))
	}
}
