// Package image builds a container image of a self-contained program: a static Go program for Linux, for each platform
// that it was built for. It needs no Docker, no base image and no network, and the same programs result in the same
// image, byte for byte.
//
// Start with [New].
package image

import (
	"fmt"
	"path"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	folder = "/usr/local/bin" // of the program
	user   = "65532:65532"    // numeric, so that a kubelet knows that it is not root
	home   = "/home/nonroot"
	source = "https://github.com/admsim/admsim"
)

// New builds an image of a program that was built for several platforms, and annotates it with a version. The labels
// about its source are read from the programs.
func New(version string, programs []*Program) (v1.ImageIndex, error) {
	if len(programs) == 0 {
		return nil, fmt.Errorf("an image needs a program")
	}
	first := programs[0]
	labels := map[string]string{
		"org.opencontainers.image.title":    first.Name,
		"org.opencontainers.image.source":   source,
		"org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.version":  version,
		"org.opencontainers.image.created":  first.Time.Format(time.RFC3339),
	}
	if first.Revision != "" {
		labels["org.opencontainers.image.revision"] = first.Revision
	}
	system, err := systemLayer(first.Time)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i, p := range programs {
		if p.Name != first.Name || p.Revision != first.Revision {
			return nil, fmt.Errorf("%s of %s and %s of %s cannot be one image", first.Name, first.Revision, p.Name, p.Revision)
		}
		if slices.ContainsFunc(programs[:i], func(q *Program) bool { return q.Architecture == p.Architecture }) {
			return nil, fmt.Errorf("there are two programs for linux/%s", p.Architecture)
		}
		one, err := imageOf(p, system, labels)
		if err != nil {
			return nil, fmt.Errorf("linux/%s: %w", p.Architecture, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        one,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: p.Architecture}},
		})
	}
	annotated, ok := mutate.Annotations(index, labels).(v1.ImageIndex)
	if !ok {
		return nil, fmt.Errorf("the index cannot be annotated")
	}
	return annotated, nil
}

// imageOf returns the image for one platform.
func imageOf(p *Program, system v1.Layer, labels map[string]string) (v1.Image, error) {
	program, err := p.layer()
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: p.Time}
	image, err = mutate.Append(image,
		mutate.Addendum{Layer: system, History: v1.History{Created: created, CreatedBy: "certificates, a user and a folder for temporary files"}},
		mutate.Addendum{Layer: program, History: v1.History{Created: created, CreatedBy: "go build of " + p.Name}},
	)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", p.Architecture, created
	config.Config = v1.Config{
		Entrypoint: []string{path.Join(folder, p.Name)},
		Env:        []string{"PATH=" + folder + ":/usr/bin:/bin", "HOME=" + home},
		User:       user,
		WorkingDir: "/",
		Labels:     labels,
	}
	return mutate.ConfigFile(image, config)
}
