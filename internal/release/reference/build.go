// Package reference builds the real kube-apiserver of a release from published modules, and runs it with etcd.
//
// Start with [Build] and [Start]. The package knows nothing about recordings.
package reference

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

// folderOf returns the folder in which the files of a release are kept between runs.
func folderOf(version string) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "admsim", "reference", version), err
}

// Build returns the kube-apiserver of a release, and builds it if necessary. Progress messages are written to progress.
func Build(ctx context.Context, version string, progress io.Writer) (binary string, err error) {
	folder, err := folderOf(version)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(folder, "kube-apiserver")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	fmt.Fprintf(progress, "downloading the source of Kubernetes %s\n", version)
	release, err := upstream.Download(ctx, version)
	if err != nil {
		return "", err
	}
	module := filepath.Join(folder, "module")
	if err := writeModule(release, module); err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "building kube-apiserver %s; this takes minutes the first time\n", version)
	// Moved into place in one step: an interrupted build does not leave anything that looks like a binary.
	unfinished := binary + ".unfinished"
	overlay, err := writeOverlay(ctx, release.Minor, module)
	if err != nil {
		return "", err
	}
	cmd := command.Child(ctx, "go", append(append([]string{"build", "-mod=mod", "-p", "1"}, overlay...),
		"-ldflags", "-s -w"+versionFlags(release), "-o", unfinished, "./kube-apiserver")...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = progress, progress
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building kube-apiserver %s in %s: %w", version, module, err)
	}
	return binary, os.Rename(unfinished, binary)
}

// versionFlags returns the linker flags that set the version of a server. Up to 1.18, it was in other packages.
func versionFlags(release *upstream.Release) string {
	var flags strings.Builder
	for _, at := range []string{"k8s.io/component-base", "k8s.io/kubernetes/pkg", "k8s.io/client-go/pkg"} {
		fmt.Fprintf(&flags, " -X %[1]s/version.gitVersion=v%[2]s -X %[1]s/version.gitMajor=1 -X %[1]s/version.gitMinor=%[3]d",
			at, release.Version, release.Minor)
	}
	return flags.String()
}

// writeModule writes a module that has only the command, with every dependency in the version that the release was
// published with, unless today's Go needs another one.
func writeModule(release *upstream.Release, folder string) error {
	command, err := os.ReadFile(filepath.Join(release.Dir, "cmd", "kube-apiserver", "apiserver.go"))
	if err != nil {
		return err
	}
	instead := map[string]string{}
	if lacksOpenAPI(release) {
		if err := completeModule(release, filepath.Join(folder, "kubernetes")); err != nil {
			return err
		}
		instead[upstream.Main] = "./kubernetes"
	}
	return release.WriteModule(folder, "reference", instead, map[string][]byte{"kube-apiserver/main.go": command})
}
