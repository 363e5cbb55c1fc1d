// Package manifest reads YAML and JSON files as kubectl reads them: the JSON of a [Manifest] is what kubectl would
// send. What kubectl silently accepts (a repeated key, a second document without a separator) is an error here. The
// package knows the file and line of everything that it read.
//
// A document of admsim's own, such as a suite, is read as a form: a [Value] is one value in it, and reports its errors.
// Only package yamldoc, which this one builds on, parses YAML files as well.
//
// Start with [Load].
package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/yamldoc"
	"github.com/admsim/admsim/pkg/cluster"
)

// Group is the API group of admsim's own forms: kind Request, kind Backends.
const Group = apiversion.Group

// APIVersion is the apiVersion of admsim's own forms, as they are written today.
const APIVersion = apiversion.Written

// A Manifest is one object as its author wrote it.
type Manifest struct {
	schema.GroupVersionKind
	Namespace string
	Name      string // empty if metadata has generateName, or there is no metadata
	JSON      []byte // the object as kubectl would send it, keys sorted
	Source    Source // where the object begins

	Places *yamldoc.Node
	again  func() *yamldoc.Node // finds the places again, which take more memory than the object
	Status bool                 // it has a status
	OnDisk bool                 // it is in a file of the operating system
	Text   yamldoc.Chunk        // of the file, if errors may have to show expressions
	Within string               // the folder that files named in it must be in

	// webhooks are the places of the webhooks of a configuration, which are needed often.
	webhooks []yamldoc.Position
}

// Layout returns the places of everything in m, nil if they are not known.
func (m Manifest) Layout() *yamldoc.Node {
	if m.again != nil {
		return m.again()
	}
	return m.Places
}

// Position returns where the field at path was written, such as spec.rules[0].operations,
// metadata.labels[app.kubernetes.io/name] or metadata.labels.app: the paths in errors of the API server. If there is no
// such field, it returns the place of the innermost field around it that exists.
func (m Manifest) Position(path string) Source {
	if at, ok := m.webhook(path); ok {
		return at.Or(m.Source)
	}
	return m.Layout().Find(m.written(path)).Or(m.Source)
}

// webhook returns the place of webhooks[i].
func (m Manifest) webhook(path string) (at yamldoc.Position, ok bool) {
	inside, is := strings.CutPrefix(path, "webhooks[")
	if !is {
		return yamldoc.Position{}, false
	}
	i, err := strconv.Atoi(strings.TrimSuffix(inside, "]"))
	if err != nil || i < 0 || i >= len(m.webhooks) {
		return yamldoc.Position{}, false
	}
	return m.webhooks[i], true
}

// String returns the kind and name of m, for messages.
func (m Manifest) String() string {
	switch {
	case m.Name == "":
		return m.Kind
	case m.Namespace == "":
		return fmt.Sprintf("%s %q", m.Kind, m.Name)
	}
	return fmt.Sprintf("%s %q", m.Kind, m.Namespace+"/"+m.Name)
}

// positions knows where the fields of a manifest were written.
type positions struct{ *Manifest }

func (p positions) Place(path string) string { return p.Position(path).String() }

// PlacesOf returns the places of the fields of a manifest.
func PlacesOf(m *Manifest) cluster.Places { return positions{m} }

// HasExpressions reports whether m is of a kind with rules for requests. These are validated, since a broken object
// would let requests pass that it should stop.
func (m Manifest) HasExpressions() bool {
	return slices.Contains([]string{"admissionregistration.k8s.io", "apiextensions.k8s.io"}, m.Group)
}
