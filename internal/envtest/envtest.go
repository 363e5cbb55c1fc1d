// Package envtest creates the folder for KUBEBUILDER_ASSETS in tests of operators. It has the programs etcd,
// kube-apiserver and kubectl, which are admsim under other names.
//
// Start with [Folder.Make]. Packages apiserver and etcd below implement the programs. This package determines which
// program runs, [Program], and in which folder, [FolderOf].
package envtest

import (
	"path/filepath"
	"regexp"
	"strings"
)

// The programs of a folder.
const (
	KubeAPIServer = "kube-apiserver"
	Etcd          = "etcd"
	Kubectl       = "kubectl"
)

// programs returns the names of all programs.
func programs() []string { return []string{Etcd, KubeAPIServer, Kubectl} }

// Program returns which of the programs a path names, or "" for all other names.
func Program(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	for _, program := range programs() {
		if name == program {
			return program
		}
	}
	return ""
}

// ofSetup matches the folder names of setup-envtest.
var ofSetup = regexp.MustCompile(`^(\d+\.\d+)\.\d+-[a-z0-9]+-[a-z0-9]+$`)

// ReleaseIn returns the release in the name of a folder of setup-envtest, or "" for other names.
func ReleaseIn(path string) string {
	if m := ofSetup.FindStringSubmatch(filepath.Base(path)); m != nil {
		return m[1]
	}
	return ""
}
