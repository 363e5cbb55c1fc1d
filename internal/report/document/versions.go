package document

import (
	"slices"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/report"
)

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

// NewVersions returns what changed in each release.
func NewVersions() (VersionList, error) {
	all := VersionList{TypeMeta: typeMeta(VersionListKind)}
	known := kubeversion.Versions()
	for i, version := range known {
		release, err := kubeversion.Parse(version)
		if err != nil {
			return all, err
		}
		v := Version{Name: version}
		if i+1 < len(known) {
			before, err := kubeversion.Parse(known[i+1])
			if err != nil {
				return all, err
			}
			d := release.Since(before)
			v = Version{
				Name: version, Since: before.Version,
				Plugins: Came(d.Plugins), Defaults: Came(d.Defaults), Moved: d.Moved,
				Served: Came(d.Served), Features: Came(d.Features), Gates: Came(d.Gates),
			}
		}
		all.Items = append(all.Items, v)
	}
	return all, nil
}

// One is what is known of one release.
func (l VersionList) One(version string) (VersionDocument, error) {
	release, err := kubeversion.Parse(version)
	if err != nil {
		return VersionDocument{}, err
	}
	i := slices.IndexFunc(l.Items, func(v Version) bool { return v.Name == release.Version })
	return VersionDocument{typeMeta(VersionKind), l.Items[i]}, nil
}
