package image

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// An entry is a file or a folder in a layer. Folders end with a slash.
type entry struct {
	name  string
	mode  int64
	owner int
	text  []byte
}

// systemLayer has what a program expects from a system: Mozilla's certificates where Go looks for them, a user with a
// name, and writable folders.
func systemLayer(at time.Time) (v1.Layer, error) {
	return layer(at, []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, text: []byte("root:x:0:\nnonroot:x:65532:\n")},
		{name: "etc/passwd", mode: 0o644, text: []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:" + home + ":/sbin/nologin\n")},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, text: certificates()},
		{name: "home/", mode: 0o755},
		{name: strings.TrimPrefix(home, "/") + "/", mode: 0o700, owner: 65532},
		{name: "tmp/", mode: 0o1777},
	})
}

// certificates returns the roots that Mozilla trusts unconditionally: a file cannot express conditions.
func certificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return text.Bytes()
}

// layer returns the layer with the program.
func (p *Program) layer() (v1.Layer, error) {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	return layer(p.Time, []entry{
		{name: "usr/", mode: 0o755},
		{name: "usr/local/", mode: 0o755},
		{name: "usr/local/bin/", mode: 0o755},
		{name: path.Join("usr/local/bin", p.Name), mode: 0o755, text: text},
	})
}

func layer(at time.Time, entries []entry) (v1.Layer, error) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, ModTime: at, Size: int64(len(e.text)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}
