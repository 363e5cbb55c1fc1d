package image

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// built builds a small program for a platform.
func built(t *testing.T, system, architecture string, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":  "module example.com/admsim\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "admsim")
	c := exec.Command("go", append(append([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", path}, flags...), ".")...)
	c.Dir = folder
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+system, "GOARCH="+architecture)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

func opened(t *testing.T, paths ...string) (programs []*Program) {
	t.Helper()
	for _, path := range paths {
		p, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	return programs
}

// An image is pushed to a registry and pulled for each platform: it has the program and what that needs, and does not
// run as root.
func TestImage(t *testing.T) {
	paths := map[string]string{"amd64": built(t, "linux", "amd64"), "arm64": built(t, "linux", "arm64")}
	made, err := New("1.2.3", opened(t, paths["amd64"], paths["arm64"]))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New())
	defer server.Close()
	tag, err := name.NewTag(strings.TrimPrefix(server.URL, "http://") + "/admsim:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, made); err != nil {
		t.Fatal(err)
	}
	for architecture, path := range paths {
		t.Run(architecture, func(t *testing.T) {
			one, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: architecture}))
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Image(one); err != nil {
				t.Error(err)
			}
			program, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			checkConfig(t, one, architecture)
			checkFiles(t, one, program)
		})
	}
}

func checkConfig(t *testing.T, one v1.Image, architecture string) {
	t.Helper()
	config, err := one.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.OS != "linux" || config.Architecture != architecture {
		t.Errorf("the image is for %s/%s", config.OS, config.Architecture)
	}
	if !slices.Equal(c.Entrypoint, []string{"/usr/local/bin/admsim"}) || len(c.Cmd) > 0 {
		t.Errorf("the image runs %q %q", c.Entrypoint, c.Cmd)
	}
	if c.User != "65532:65532" {
		t.Errorf("the image runs as %q", c.User)
	}
	if !slices.Contains(c.Env, "PATH=/usr/local/bin:/usr/bin:/bin") { // manifests name the program without its folder
		t.Errorf("its environment is %q", c.Env)
	}
	if c.Labels["org.opencontainers.image.version"] != "1.2.3" || c.Labels["org.opencontainers.image.licenses"] != "Apache-2.0" {
		t.Errorf("its labels are %q", c.Labels)
	}
}

// checkFiles checks each file of an image, its permissions and its owner.
func checkFiles(t *testing.T, one v1.Image, program []byte) {
	t.Helper()
	layers, err := one.Layers()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	var listed []string
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		for entries := tar.NewReader(r); ; {
			h, err := entries.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			listed = append(listed, fmt.Sprintf("%04o %d:%d %s", h.Mode, h.Uid, h.Gid, h.Name))
			if texts[h.Name], err = io.ReadAll(entries); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{
		"0755 0:0 etc/", "0644 0:0 etc/group", "0644 0:0 etc/passwd", "0755 0:0 etc/ssl/", "0755 0:0 etc/ssl/certs/", "0644 0:0 etc/ssl/certs/ca-certificates.crt",
		"0755 0:0 home/", "0700 65532:65532 home/nonroot/", "1777 0:0 tmp/",
		"0755 0:0 usr/", "0755 0:0 usr/local/", "0755 0:0 usr/local/bin/", "0755 0:0 usr/local/bin/admsim",
	}
	if !slices.Equal(listed, want) {
		t.Errorf("its files are\n%s\nwant\n%s", strings.Join(listed, "\n"), strings.Join(want, "\n"))
	}
	if !bytes.Equal(texts["usr/local/bin/admsim"], program) {
		t.Error("its program differs")
	}
	if !x509.NewCertPool().AppendCertsFromPEM(texts["etc/ssl/certs/ca-certificates.crt"]) || bytes.Count(texts["etc/ssl/certs/ca-certificates.crt"], []byte("BEGIN CERTIFICATE")) < 50 {
		t.Error("its certificates are not those of Mozilla")
	}
}

// The same programs result in the same image, and the folder that it is written to has it under each tag.
func TestSame(t *testing.T) {
	path := built(t, "linux", "amd64")
	folder := filepath.Join(t.TempDir(), "image")
	var digests []v1.Hash
	for range 2 { // the second time it is replaced
		made, err := New("", opened(t, path))
		if err != nil {
			t.Fatal(err)
		}
		digest, err := made.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
		if err := Write(folder, made, []string{"1.2.3", "latest"}); err != nil {
			t.Fatal(err)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("the digests are %v", digests)
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, m := range manifest.Manifests {
		if m.Digest != digests[0] {
			t.Errorf("the folder has %s", m.Digest)
		}
		tags = append(tags, m.Annotations["org.opencontainers.image.ref.name"])
	}
	if !slices.Equal(tags, []string{"1.2.3", "latest"}) {
		t.Errorf("the tags are %q", tags)
	}
}

// Programs that cannot run in the image are refused, and so is a folder with other files.
func TestRefused(t *testing.T) {
	other := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		built(t, "windows", "amd64"):                   "is not a program for Linux",
		built(t, "linux", "amd64", "-buildmode=pie"):   "build it with CGO_ENABLED=0",
		built(t, "linux", "riscv64"):                   "is for EM_RISCV",
		other:                                          "unrecognized file format",
		filepath.Join(filepath.Dir(other), "no-there"): "no such file",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	program := built(t, "linux", "amd64")
	if _, err := New("", opened(t, program, program)); err == nil || !strings.Contains(err.Error(), "two programs for linux/amd64") {
		t.Error(err)
	}
	if _, err := New("", nil); err == nil {
		t.Error("no error for an image without programs")
	}
	made, err := New("", opened(t, program))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Dir(other), made, nil); err == nil || !strings.Contains(err.Error(), "is not replaced") {
		t.Error(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
