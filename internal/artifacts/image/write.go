package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Write writes an image into a folder in the OCI image layout, which skopeo, podman and others read. An existing image
// is replaced; a folder with anything else is not touched.
func Write(folder string, made v1.ImageIndex, tags []string) error {
	switch existing, err := os.ReadDir(folder); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(existing) > 0:
		if _, err := os.Stat(filepath.Join(folder, "oci-layout")); err != nil {
			return fmt.Errorf("%s is not an image, and is not replaced", folder)
		}
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	to, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	for _, tag := range tags {
		if err := to.AppendIndex(made, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})); err != nil {
			return err
		}
	}
	return nil
}
