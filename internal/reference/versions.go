package reference

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/hint"
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
			v = since(release, before)
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

// Between describes what changed from one release to a later one, in total.
func Between(from, to string) (document.VersionDocument, error) {
	before, err := kubeversion.Parse(from)
	if err != nil {
		return document.VersionDocument{}, err
	}
	release, err := kubeversion.Parse(to)
	if err != nil {
		return document.VersionDocument{}, err
	}
	known := kubeversion.Versions() // newest first
	if slices.Index(known, before.Version) <= slices.Index(known, release.Version) {
		return document.VersionDocument{}, hint.Add(fmt.Errorf("Kubernetes %s is not older than %s", before.Version, release.Version), "name the older release first")
	}
	return document.VersionDocument{TypeMeta: document.TypeMeta(document.VersionKind), Version: since(release, before)}, nil
}

func since(release, before *kubeversion.Release) document.Version {
	d := release.Since(before)
	return document.Version{
		Name: release.Version, Since: before.Version,
		Plugins: document.Came(d.Plugins), Defaults: document.Came(d.Defaults), Moved: d.Moved,
		Served: document.Came(d.Served), Features: document.Came(d.Features), Gates: document.Came(d.Gates),
	}
}
