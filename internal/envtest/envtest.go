// Package envtest makes the folder that KUBEBUILDER_ASSETS names in tests of operators: etcd, kube-apiserver and
// kubectl, which are admsim under other names.
//
// Start with [Folder.Make]. What the programs do is in packages apiserver and etcd below it; here is which of them runs,
// [Program], and in which folder, [FolderOf].
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

// programs are the names of all.
func programs() []string { return []string{Etcd, KubeAPIServer, Kubectl} }

// Program is which of the programs runs under a path; empty for all other names.
func Program(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	for _, program := range programs() {
		if name == program {
			return program
		}
	}
	return ""
}

// ofSetup is the name of a folder as setup-envtest calls it.
var ofSetup = regexp.MustCompile(`^(\d+\.\d+)\.\d+-[a-z0-9]+-[a-z0-9]+$`)

// ReleaseIn is the release that the name of a folder says, if it is one of setup-envtest's; otherwise it is empty.
func ReleaseIn(path string) string {
	if m := ofSetup.FindStringSubmatch(filepath.Base(path)); m != nil {
		return m[1]
	}
	return ""
}
