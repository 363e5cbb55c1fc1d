package harvest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/upstream"
)

// podSecurity is the module that decides about pods. Its checks get the pods of its tests.
const podSecurity = "k8s.io/pod-security-admission"

// A Fixture is a pod that upstream expects to pass or to fail a policy of a version. Which of both is ignored.
type Fixture struct {
	Version string // v1.25
	Pod     json.RawMessage
}

// Fixtures returns the pods with which a release tests Pod Security. An old release has none.
func Fixtures(ctx context.Context, version string) ([]Fixture, error) {
	release, err := upstream.Download(ctx, version)
	if err != nil || !release.Has(podSecurity) {
		return nil, err
	}
	root, err := release.File(ctx, strings.TrimPrefix(podSecurity, "k8s.io/"), "test/testdata")
	if err != nil {
		return nil, err
	}
	var all []Fixture
	// The folders are restricted/v1.25/fail.
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		pod, err := yaml.YAMLToJSON(text)
		all = append(all, Fixture{filepath.Base(filepath.Dir(filepath.Dir(name))), pod})
		return err
	})
	return all, err
}

// ofPodSecurity reports whether a call is one of a check of Pod Security.
func ofPodSecurity(call Call) bool { return strings.HasPrefix(call.Function, "policy:") }

// PodSecurityCases returns requests for a server whose only plugin is PodSecurity. A namespace says which versions of both
// levels are asked, one with warnings and one with audit annotations: a pod of the fixtures is created for its versions,
// one of the checks' own tests for all of them. For the latest version, each pod is also refused by both levels, if it
// violates them, and is part of a Deployment.
func PodSecurityCases(fixtures []Fixture, calls []Call, profile string) []conformance.Recording {
	seen := map[string]bool{}
	var all []conformance.Recording
	add := func(r conformance.Request, title string, labels map[string]string) {
		r.ID, r.Verb = "1", "create"
		namespace := encode(map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": r.Namespace, "labels": labels},
		})
		recording := conformance.Recording{Title: title, Profile: profile, Cluster: []json.RawMessage{namespace}, Requests: []conformance.Request{r}}
		recording.ID = "upstream-podsecurity-" + hash(recording)
		if !seen[recording.ID] {
			seen[recording.ID] = true
			all = append(all, recording)
		}
	}
	pod := func(o map[string]any, title, namespace string, labels map[string]string) {
		add(conformance.Request{Version: "v1", Resource: "pods", Namespace: namespace, Object: encode(o)}, title, labels)
	}
	noted := func(o map[string]any, title, version string) {
		pod(o, title, "noted-"+strings.ReplaceAll(version, ".", "-"), notes(version))
	}
	latest := func(o map[string]any, title string) {
		for _, level := range []string{"baseline", "restricted"} {
			pod(o, title, "enforced-"+level, map[string]string{policy + "enforce": level})
		}
		add(conformance.Request{
			Group: "apps", Version: "v1", Resource: "deployments", Namespace: "noted-latest", Object: encode(deploymentOf(o)),
		}, title, notes("latest"))
	}
	var versions []string
	for _, f := range fixtures {
		o := decode(f.Pod)
		completePod(o)
		noted(o, podSecurity+"/test", f.Version)
		latest(o, podSecurity+"/test")
		if !slices.Contains(versions, f.Version) {
			versions = append(versions, f.Version)
		}
	}
	for _, call := range calls {
		if !ofPodSecurity(call) || call.Lost != "" {
			continue
		}
		o := decode(call.Objects[0].Object)
		if !completePod(o) {
			continue
		}
		for _, version := range versions {
			noted(o, call.Function, version)
		}
		latest(o, call.Function)
	}
	slices.SortFunc(all, func(a, b conformance.Recording) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// policy begins the labels of a namespace for Pod Security.
const policy = "pod-security.kubernetes.io/"

// notes returns the labels with which every violation of a version is written down.
func notes(version string) map[string]string {
	return map[string]string{
		policy + "warn": "baseline", policy + "warn-version": version, policy + "audit": "restricted", policy + "audit-version": version,
	}
}

// completePod gives a pod what a server requires and no check reads. It reports whether there is a pod.
func completePod(pod map[string]any) bool {
	spec, ok := pod["spec"].(map[string]any)
	if !ok {
		return false
	}
	metadata(pod)["name"] = "name" // the fixtures have names that no server accepts
	if containers, _ := spec["containers"].([]any); len(containers) == 0 {
		spec["containers"] = []any{map[string]any{}}
	}
	for _, list := range []string{"initContainers", "containers"} {
		containers, _ := spec[list].([]any)
		for i, c := range containers {
			container, _ := c.(map[string]any)
			if name, _ := container["name"].(string); name == "" {
				container["name"] = list[:1] + string(rune('0'+i))
			}
			if image, _ := container["image"].(string); image == "" {
				container["image"] = "registry.example.com/image"
			}
			completePorts(container)
		}
	}
	return true
}

// completePorts gives every port in a value a number.
func completePorts(v any) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			completePorts(inner)
		}
	case map[string]any:
		for name, inner := range v {
			if (name == "port" || name == "containerPort") && fmt.Sprint(inner) == "0" {
				v[name] = 80
			}
			completePorts(inner)
		}
	}
}

// deploymentOf returns a Deployment of a pod.
func deploymentOf(pod map[string]any) map[string]any {
	labels := map[string]any{"app": "name"}
	template := map[string]any{"labels": labels}
	if annotations := metadata(pod)["annotations"]; annotations != nil {
		template["annotations"] = annotations
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "name"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": template, "spec": pod["spec"]},
		},
	}
}
