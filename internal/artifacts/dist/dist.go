// Package dist opens what a release publishes, as users would: archives, packages and the image, each as a list of
// files. Its test checks all of these in the folder that make snapshot fills:
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

// An entry is a file in an archive, a package or an image.
type entry struct {
	Text []byte
	Mode fs.FileMode // permissions
	Link string      // target, for a link
}

// contents maps names to files. The names do not begin with a slash or a dot. Folders are not included.
type contents map[string]entry

func (f contents) add(name string, file entry) {
	f[strings.TrimLeft(name, "./")] = file
}

// open lists the files of an archive or a package, and the fields of a package.
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

// openImage lists the files in an image of one platform.
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

// deb reads a Debian package, which is an archive of two others: the installed files, and the fields.
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

// rpm reads an RPM package, which is a header followed by a cpio archive. The fields get the names that deb uses.
func (f contents) rpm(text []byte) (map[string]string, error) {
	if _, _, err := rpmutils.Verify(bytes.NewReader(text), nil); err != nil { // checks its digests
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

// kind is the part of a mode that distinguishes files, folders and links.
const kind = 0o170000
