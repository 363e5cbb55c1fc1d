package scenario

import (
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/cluster"
)

// Names of package manifest that callers need for what they read, and for its places. Package manifest has more, for
// callers that read documents of their own.
type (
	Manifest = manifest.Manifest
	Source   = manifest.Source
	Error    = manifest.Error
	Errors   = manifest.Errors
	Options  = manifest.Options
	Builder  = manifest.Builder
)

// Group is the API group of admsim's own documents, and APIVersion their apiVersion.
const (
	Group      = manifest.Group
	APIVersion = manifest.APIVersion
)

// SuiteKind is the kind of a suite, and SuiteName the usual name of its file.
const (
	SuiteKind = manifest.SuiteKind
	SuiteName = manifest.SuiteName
)

// Stdin is the name of standard input in places.
const Stdin = manifest.Stdin

// IsSuiteFile reports whether a file of that name holds suites.
func IsSuiteFile(name string) bool { return manifest.IsSuiteFile(name) }

// Load reads manifests from files, folders and standard input; see [manifest.Load].
func Load(paths []string, o Options) ([]Manifest, error) { return manifest.Load(paths, o) }

// Parse reads manifests from the text of one file; name is the file name in their places.
func Parse(name string, data []byte) ([]Manifest, error) { return manifest.Parse(name, data) }

// Documents reads documents that are not objects of Kubernetes; see [manifest.Documents].
func Documents(name string, data []byte) ([]Manifest, error) { return manifest.Documents(name, data) }

// At returns err as an error about a place.
func At(place Source, err error) *Error { return manifest.At(place, err) }

// ParseSource parses a place as it is written in traces.
func ParseSource(text string) Source { return manifest.ParseSource(text) }

// Together returns all of errs as one [Errors], nil if there are none.
func Together(errs ...error) error { return manifest.Together(errs...) }

// PlacesOf returns the places of the fields of a manifest.
func PlacesOf(m *Manifest) cluster.Places { return manifest.PlacesOf(m) }
