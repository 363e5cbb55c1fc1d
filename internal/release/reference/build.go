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
	minor := strings.Split(version, ".")[1]
	const about = "k8s.io/component-base/version."
	cmd := command.Child(ctx, "go", "build", "-mod=mod", "-p", "1",
		"-ldflags", fmt.Sprintf("-s -w -X %sgitVersion=v%s -X %sgitMajor=1 -X %sgitMinor=%s", about, version, about, about, minor),
		"-o", unfinished, "./kube-apiserver")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = progress, progress
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building kube-apiserver %s in %s: %w", version, module, err)
	}
	return binary, os.Rename(unfinished, binary)
}

// writeModule writes a module that has only the command, with every dependency in the version that the release was
// published with.
func writeModule(release *upstream.Release, folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, "kube-apiserver"), 0o755); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(release.Dir, "go.sum"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"go.mod":                 release.Module("reference", nil),
		"go.sum":                 string(sums), // the go command adds those of the staging modules
		"kube-apiserver/main.go": serverCommand,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// serverCommand is kubernetes/kubernetes:cmd/kube-apiserver/apiserver.go.
const serverCommand = `package main

import (
	"os"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`
