package reference

import (
	"slices"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Versions lists what changed in each release.
func Versions() (document.VersionList, error) {
	all := document.VersionList{TypeMeta: document.TypeMeta(document.VersionListKind)}
	known := kubeversion.Versions()
	for i, version := range known {
		release, err := kubeversion.Parse(version)
		if err != nil {
			return all, err
		}
		v := document.Version{Name: version}
		if i+1 < len(known) {
			before, err := kubeversion.Parse(known[i+1])
			if err != nil {
				return all, err
			}
			d := release.Since(before)
			v = document.Version{
				Name: version, Since: before.Version,
				Plugins: document.Came(d.Plugins), Defaults: document.Came(d.Defaults), Moved: d.Moved,
				Served: document.Came(d.Served), Features: document.Came(d.Features), Gates: document.Came(d.Gates),
			}
		}
		all.Items = append(all.Items, v)
	}
	return all, nil
}

// Version describes one release.
func Version(version string) (document.VersionDocument, error) {
	release, err := kubeversion.Parse(version)
	if err != nil {
		return document.VersionDocument{}, err
	}
	l, err := Versions()
	if err != nil {
		return document.VersionDocument{}, err
	}
	i := slices.IndexFunc(l.Items, func(v document.Version) bool { return v.Name == release.Version })
	return document.VersionDocument{TypeMeta: document.TypeMeta(document.VersionKind), Version: l.Items[i]}, nil
}
