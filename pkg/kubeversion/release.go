// Package kubeversion is what one Kubernetes release is: the admission plugins that it
// has, which of them are on and in which order, and the resources that it serves.
//
// A [Release] is data; the package knows no object and makes no decision. Each release
// stands in a file of its own, as its difference from the one next to it. Start with
// [Default] or [Parse].
package kubeversion

import (
	"fmt"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Release is one minor release of Kubernetes, as a server of it runs with the default
// flags. It is shared and must not be changed.
type Release struct {
	Version   string // 1.36
	Plugins   []Plugin
	Resources []Resource
}

// A Plugin is one link of the release's admission chain.
type Plugin struct {
	Name       string
	Default    bool // on unless told otherwise
	Mutates    bool
	Validates  bool
	Operations []admissionv1.Operation
}

// A Resource is one built-in resource in one version.
type Resource struct {
	schema.GroupVersionResource
	Kind         schema.GroupVersionKind
	Namespaced   bool
	ShortNames   []string
	Verbs        []string
	Subresources []Subresource

	// Storage is the kind in which objects of the resource are kept. Resources that are
	// kept under one prefix are the same objects, in other versions or groups (EQ-01).
	Storage schema.GroupVersionKind
	Prefix  string
}

// A Subresource is a part of a resource that has a path of its own.
type Subresource struct {
	Name  string
	Kind  schema.GroupVersionKind // of the request's body
	Verbs []string
}

// Default returns the release that is simulated unless told otherwise.
func Default() *Release { return v1_36() }

// releases are the known ones, oldest first.
func releases() []*Release { return []*Release{v1_36()} }

var v1_36 = sync.OnceValue(func() *Release {
	return &Release{Version: "1.36", Plugins: plugins1_36(), Resources: resources1_36()}
})

// Parse returns the release of a version such as 1.36 or v1.36.3.
func Parse(version string) (*Release, error) {
	words := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(words) >= 2 {
		for _, r := range releases() {
			if r.Version == words[0]+"."+words[1] {
				return r, nil
			}
		}
	}
	var known []string
	for _, r := range releases() {
		known = append(known, r.Version)
	}
	return nil, fmt.Errorf("unknown Kubernetes release %q: admsim knows %s", version, strings.Join(known, ", "))
}
