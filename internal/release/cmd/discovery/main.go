// Command discovery compares the discovery documents of admsim serve with those of a release's kube-apiserver.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: discovery -version 1.37.2 [-admsim bin/admsim] [-- FLAG ...]

It builds the real kube-apiserver of that release, starts it and admsim serve with the FLAGs, such as
--runtime-config=api/all=true, and prints how the documents of discovery differ.

Flags:
`

func main() { command.Main("discovery", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := command.Flags("discovery", usage, progress)
	version := flags.String("version", "", "the release, such as 1.37.2")
	admsim := flags.String("admsim", "bin/admsim", "the program that is compared")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minor, err := upstream.MinorOf(*version)
	if err != nil {
		return err
	}
	if *admsim, err = filepath.Abs(*admsim); err != nil {
		return err
	}
	binary, err := reference.Build(ctx, *version, progress)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "discovery-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	etcd, err := reference.StartEtcd(ctx, folder)
	if err != nil {
		return err
	}
	defer etcd.Stop()
	theirs, err := reference.Start(ctx, reference.Options{Binary: binary, Folder: folder, Etcd: etcd, Flags: flags.Args()})
	if theirs != nil {
		defer theirs.Stop()
	}
	if err != nil {
		return err
	}
	ours, err := reference.StartAdmsim(ctx, *admsim, folder, append(flags.Args(), "--kubernetes-version="+minor)...)
	if ours != nil {
		defer ours.Stop()
	}
	if err != nil {
		return err
	}
	return compare(ctx, theirs, ours, out)
}

// compare prints the documents that differ.
func compare(ctx context.Context, theirs, ours *reference.Server, out io.Writer) error {
	answer, err := get(ctx, theirs, "/apis", "application/json")
	if err != nil {
		return err
	}
	var groups metav1.APIGroupList
	if err := json.Unmarshal(answer.Body, &groups); err != nil {
		return err
	}
	paths := []string{"/apis", "/api/v1"}
	for _, group := range groups.Groups {
		paths = append(paths, "/apis/"+group.Name)
		for _, version := range group.Versions {
			paths = append(paths, "/apis/"+version.GroupVersion)
		}
	}
	different := 0
	for _, path := range paths {
		accepted := []string{"application/json"}
		if path == "/apis" {
			for _, version := range []string{"v2beta1", "v2"} {
				accepted = append(accepted, "application/json;g=apidiscovery.k8s.io;v="+version+";as=APIGroupDiscoveryList")
			}
		}
		for _, accept := range accepted {
			difference, err := compareDocument(ctx, theirs, ours, path, accept)
			if err != nil {
				return err
			}
			if difference != "" {
				different++
				fmt.Fprintf(out, "%s as %s:\n%s\n", path, accept, difference)
			}
		}
	}
	if different > 0 {
		return errors.New("documents of discovery differ")
	}
	fmt.Fprintf(out, "%d documents are equal\n", len(paths)+2)
	return nil
}

func compareDocument(ctx context.Context, theirs, ours *reference.Server, path, accept string) (string, error) {
	want, err := get(ctx, theirs, path, accept)
	if err != nil {
		return "", err
	}
	got, err := get(ctx, ours, path, accept)
	if err != nil {
		return "", err
	}
	if want.Code == got.Code && bytes.Equal(want.Body, got.Body) {
		return "", nil
	}
	difference := cmp.Diff(lines(want), lines(got))
	if difference == "" {
		difference = fmt.Sprintf("- %s\n+ %s", want.Body, got.Body) // only the layout
	}
	return difference, nil
}

// lines returns an answer with a line for each value.
func lines(answer reference.Answer) []string {
	var indented bytes.Buffer
	if json.Indent(&indented, answer.Body, "", " ") != nil {
		indented.Write(answer.Body)
	}
	return append([]string{fmt.Sprint(answer.Code)}, strings.Split(indented.String(), "\n")...)
}

func get(ctx context.Context, server *reference.Server, path, accept string) (reference.Answer, error) {
	return server.Do(ctx, reference.Request{
		Method: http.MethodGet, Path: path, Token: reference.Setup, Header: http.Header{"Accept": {accept}},
	})
}
