package envtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/envtest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A folder can be rebuilt. It keeps its release, and files of others are not touched.
func TestFolder(t *testing.T) {
	program := filepath.Join(t.TempDir(), "admsim")
	if err := os.WriteFile(program, []byte("v1"), 0o755); err != nil {
		t.Fatal(err)
	}
	release, err := kubeversion.Parse("1.31")
	if err != nil {
		t.Fatal(err)
	}
	folder := envtest.Folder{Path: filepath.Join(t.TempDir(), "assets"), Release: release}
	for _, text := range []string{"v1", "v2"} {
		_ = os.Remove(program)
		if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := folder.Make(program); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
			if got, err := os.ReadFile(filepath.Join(folder.Path, name)); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v, want %s", name, got, err, text)
			}
		}
	}
	if entries, _ := os.ReadDir(folder.Path); len(entries) != 4 {
		t.Errorf("%v", entries)
	}
	if of, err := envtest.FolderOf(filepath.Join(folder.Path, "kube-apiserver")); err != nil || of.Release.Version != "1.31" {
		t.Errorf("%v, %v", of.Release, err)
	}
	foreign := envtest.Folder{Path: t.TempDir(), Release: release}
	if err := os.WriteFile(filepath.Join(foreign.Path, "etcd"), []byte("real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Make(program); err == nil || !strings.Contains(err.Error(), "admsim did not write it") {
		t.Errorf("a folder with other programs: %v", err)
	}
}

// kubectl is the first real kubectl on the path.
func TestKubectl(t *testing.T) {
	program := filepath.Join(t.TempDir(), "admsim")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	folder := envtest.Folder{Path: t.TempDir(), Release: kubeversion.Default()}
	another := envtest.Folder{Path: t.TempDir(), Release: kubeversion.Default()}
	for _, f := range []envtest.Folder{folder, another} {
		if err := f.Make(program); err != nil {
			t.Fatal(err)
		}
	}
	search := folder.Path + string(os.PathListSeparator) + another.Path
	if got, err := folder.Kubectl(search); err == nil {
		t.Errorf("%s is no real kubectl", got)
	}
	real := filepath.Join(t.TempDir(), "kubectl")
	if err := os.WriteFile(real, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := folder.Kubectl(search + string(os.PathListSeparator) + filepath.Dir(real)); got != real {
		t.Errorf("%s, %v, want %s", got, err, real)
	}
}
