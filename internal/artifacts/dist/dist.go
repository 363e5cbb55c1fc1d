// Package dist opens what a release publishes, as users would: archives, packages and the image, each as a list of
// files. Its test, given the folder that make snapshot fills, checks all of it:
//
//	go test ./dist -args -dist ../../../dist
package dist

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/blakesmith/ar"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/sassoftware/go-rpmutils"
	"github.com/sassoftware/go-rpmutils/cpio"
)

// An entry is one of an archive, a package or an image.
type entry struct {
	Text []byte
	Mode fs.FileMode // its permissions
	Link string      // where it leads, if it is a link
}

// contents are files by their names, which do not begin with a slash or a dot. Folders are not among them.
type contents map[string]entry

func (f contents) add(name string, file entry) {
	f[strings.TrimLeft(name, "./")] = file
}

// open lists the files of an archive or a package, and what is said about a package: the names and values of its
// fields.
func open(path string) (contents, map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	files, fields := contents{}, map[string]string(nil)
	switch {
	case strings.HasSuffix(path, ".tar.gz"):
		err = files.tarGz(bytes.NewReader(text))
	case strings.HasSuffix(path, ".zip"):
		err = files.zip(text)
	case strings.HasSuffix(path, ".deb"):
		fields, err = files.deb(text)
	case strings.HasSuffix(path, ".rpm"):
		fields, err = files.rpm(text)
	default:
		err = errors.New("neither an archive nor a package")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return files, fields, nil
}

// openImage lists the files of an image of one platform.
func openImage(image v1.Image) (contents, error) {
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	files := contents{}
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			return nil, err
		}
		if err := files.tar(r); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (f contents) tarGz(r io.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	return f.tar(z)
}

func (f contents) tar(r io.Reader) error {
	for entries := tar.NewReader(r); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		text, err := io.ReadAll(entries)
		if err != nil {
			return err
		}
		f.add(h.Name, entry{text, h.FileInfo().Mode().Perm(), h.Linkname})
	}
}

func (f contents) zip(text []byte) error {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for _, e := range z.File {
		r, err := e.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		f.add(e.Name, entry{Text: text, Mode: e.Mode().Perm()})
	}
	return nil
}

// deb is an archive of two others: what is installed, and what is said about it.
func (f contents) deb(text []byte) (map[string]string, error) {
	control := contents{}
	for parts := ar.NewReader(bytes.NewReader(text)); ; {
		h, err := parts.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch name := strings.TrimSuffix(h.Name, "/"); name {
		case "debian-binary":
		case "control.tar.gz":
			err = control.tarGz(parts)
		case "data.tar.gz":
			err = f.tarGz(parts)
		default:
			err = fmt.Errorf("unknown part %s", name)
		}
		if err != nil {
			return nil, err
		}
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(control["control"].Text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, " ") {
			fields[name] = value
		}
	}
	return fields, nil
}

// rpm is a header and, behind it, a cpio archive. The names of the fields are those of deb.
func (f contents) rpm(text []byte) (map[string]string, error) {
	if _, _, err := rpmutils.Verify(bytes.NewReader(text), nil); err != nil { // its digests
		return nil, err
	}
	r, err := rpmutils.ReadRpm(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	is, err := r.Header.GetNEVRA()
	if err != nil {
		return nil, err
	}
	license, err := r.Header.GetString(rpmutils.LICENSE)
	if err != nil {
		return nil, err
	}
	payload, err := r.PayloadReaderExtended()
	if err != nil {
		return nil, err
	}
	for {
		h, err := payload.Next()
		if errors.Is(err, io.EOF) {
			return map[string]string{"Package": is.Name, "Version": is.Version, "Architecture": is.Arch, "License": license}, nil
		}
		if err != nil {
			return nil, err
		}
		file := entry{Mode: fs.FileMode(h.Mode()).Perm(), Link: h.Linkname()}
		switch h.Mode() & kind {
		case cpio.S_ISDIR:
			continue
		case cpio.S_ISREG:
			if file.Text, err = io.ReadAll(payload); err != nil {
				return nil, err
			}
		}
		f.add(h.Name(), file)
	}
}

// kind is the part of a mode that tells files, folders and links from each other.
const kind = 0o170000
