package document

import "github.com/admsim/admsim/pkg/report"

// The kinds of documents about releases.
const (
	VersionKind     = "Version"
	VersionListKind = "VersionList"
)

// A Version is a release of Kubernetes, and what it changed for admission.
type Version struct {
	Name  string `json:"version"`
	Since string `json:"since,omitempty"` // the release that it is compared with; empty for the oldest

	Plugins  Came     `json:"plugins,omitzero"`
	Defaults Came     `json:"pluginDefaults,omitzero"` // plugins that are on or off by default
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

// Came holds the names that a release added and removed.
type Came struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// VersionList lists all releases, newest first.
type VersionList struct {
	report.TypeMeta
	Items []Version `json:"items"`
}
