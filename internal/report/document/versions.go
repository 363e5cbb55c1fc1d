package document

import "github.com/admsim/admsim/pkg/report"

// What is said of releases has one of these kinds.
const (
	VersionKind     = "Version"
	VersionListKind = "VersionList"
)

// A Version is a release of Kubernetes, and what it changed for admission.
type Version struct {
	Name  string `json:"version"`
	Since string `json:"since,omitempty"` // the release that it is compared with; none for the oldest

	Plugins  Came     `json:"plugins,omitzero"`
	Defaults Came     `json:"pluginDefaults,omitzero"` // on or off without being asked for
	Moved    []string `json:"pluginsMoved,omitempty"`
	Served   Came     `json:"resources,omitzero"` // served by default
	Features Came     `json:"features,omitzero"`
	Gates    Came     `json:"featureGates,omitzero"` // on by default
}

// A VersionDocument is one release.
type VersionDocument struct {
	report.TypeMeta
	Version
}

// Came are names that came with a release, and those that went.
type Came struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// VersionList is all releases, newest first.
type VersionList struct {
	report.TypeMeta
	Items []Version `json:"items"`
}
