package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// The kustomizations build, and the result is a replay with the right number of shards, from a volume or from a bucket.
func TestKustomizations(t *testing.T) {
	for _, c := range []struct {
		folder, job string
		kinds       string
		images      []string
		bucket      string // empty: a volume
	}{
		{"..", "admsim-replay", "Job Namespace PersistentVolumeClaim", []string{"ghcr.io/admsim/admsim:latest"}, ""},
		{"../s3", "admsim-replay", "ConfigMap Job Namespace PersistentVolumeClaim ServiceAccount", withFetch, "s3://"},
		{"../gcs", "admsim-replay", "ConfigMap Job Namespace PersistentVolumeClaim ServiceAccount", withFetch, "gs://"},
		{"../azure", "admsim-replay", "ConfigMap Job Namespace PersistentVolumeClaim ServiceAccount", withFetch, "azblob://"},
		{"../merge", "admsim-replay-merge", "Job", []string{"ghcr.io/admsim/admsim:latest"}, ""},
	} {
		t.Run(c.folder, func(t *testing.T) {
			built := build(t, c.folder)
			var kinds []string
			for _, o := range built {
				kinds = append(kinds, fmt.Sprint(o["kind"]))
				if ns := at(o, "metadata", "namespace"); o["kind"] != "Namespace" && ns != "admsim-replay" {
					t.Errorf("a %s is in namespace %v", o["kind"], ns)
				}
			}
			slices.Sort(kinds)
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("got %s, want %s", got, c.kinds)
			}
			job := find(t, built, "Job", c.job)
			if got := images(job); !slices.Equal(got, c.images) {
				t.Errorf("images %v, want %v", got, c.images)
			}
			mounted(t, job)
			if c.job == "admsim-replay" {
				indexed(t, job)
				source(t, built, job, c.bucket)
			}
		})
	}
}

// The volume exists before the Job, and the loader can write what the Job reads.
func TestRecording(t *testing.T) {
	built := build(t, "../recording")
	claim := find(t, built, "PersistentVolumeClaim", "recording")
	if modes := words(at(claim, "spec", "accessModes")); !slices.Equal(modes, []string{"ReadWriteMany"}) {
		t.Errorf("the recording is %v", modes)
	}
	loader := find(t, built, "Pod", "loader")
	for _, mount := range objects(containers(map[string]any{"spec": map[string]any{"template": loader}}, "containers")[0]["volumeMounts"]) {
		if mount["name"] != "recording" || mount["readOnly"] == true {
			t.Errorf("the loader mounts %v", mount)
		}
	}
	for _, o := range built {
		if o["kind"] == "Job" {
			t.Error("the Job is created together with its volume")
		}
	}
}

var withFetch = []string{"ghcr.io/admsim/admsim-bucket:latest", "ghcr.io/admsim/admsim:latest"}

func build(t *testing.T, folder string) (all []map[string]any) {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range built.Resources() {
		o, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// indexed checks that each completion index is a shard, and that the number of shards is the number of completions.
func indexed(t *testing.T, job map[string]any) {
	t.Helper()
	shards := at(job, "spec", "completions")
	if at(job, "spec", "completionMode") != "Indexed" || at(job, "spec", "parallelism") != shards {
		t.Errorf("mode %v, %v at once of %v", at(job, "spec", "completionMode"), at(job, "spec", "parallelism"), shards)
	}
	replay := containers(job, "containers")[0]
	args := strings.Join(words(replay["args"]), " ")
	for _, want := range []string{
		fmt.Sprintf("--shard=$(JOB_COMPLETION_INDEX)/%v ", shards),
		"--resume=/results/shard-$(JOB_COMPLETION_INDEX).checkpoint ",
		"--output=jsonl=/results/lines/shard-$(JOB_COMPLETION_INDEX).jsonl ",
	} {
		if !strings.Contains(args, want) {
			t.Errorf("the args are %s, without %s", args, want)
		}
	}
	env := objects(replay["env"])
	i := slices.IndexFunc(env, func(e map[string]any) bool { return e["name"] == "JOB_COMPLETION_INDEX" })
	if i < 0 || at(env[i], "valueFrom", "fieldRef", "fieldPath") != "metadata.annotations['batch.kubernetes.io/job-completion-index']" {
		t.Errorf("the environment is %v", env)
	}
}

// source checks where the recording comes from: a claim, or a folder that an init container fills.
func source(t *testing.T, built []map[string]any, job map[string]any, bucket string) {
	t.Helper()
	recording := volume(t, job, "recording")
	if bucket == "" {
		if at(recording, "persistentVolumeClaim", "claimName") != "recording" {
			t.Errorf("the recording is in %v", recording)
		}
		return
	}
	if recording["emptyDir"] == nil || recording["persistentVolumeClaim"] != nil {
		t.Errorf("the recording is in %v", recording)
	}
	if url, _ := at(find(t, built, "ConfigMap", "bucket"), "data", "BUCKET").(string); !strings.HasPrefix(url, bucket) {
		t.Errorf("the bucket is %s", url)
	}
	fetch := containers(job, "initContainers")[0]
	if args := words(fetch["args"]); !slices.Equal(args, []string{"$(BUCKET)", "/recording"}) {
		t.Errorf("the init container fetches %v", args)
	}
	account := at(job, "spec", "template", "spec", "serviceAccountName")
	find(t, built, "ServiceAccount", fmt.Sprint(account))
}

// mounted checks that the volumes which containers mount exist.
func mounted(t *testing.T, job map[string]any) {
	t.Helper()
	for _, sort := range []string{"initContainers", "containers"} {
		for _, c := range containers(job, sort) {
			for _, m := range objects(c["volumeMounts"]) {
				volume(t, job, fmt.Sprint(m["name"]))
			}
		}
	}
}

func images(job map[string]any) (all []string) {
	for _, sort := range []string{"initContainers", "containers"} {
		for _, c := range containers(job, sort) {
			all = append(all, fmt.Sprint(c["image"]))
		}
	}
	return all
}

func containers(job map[string]any, sort string) []map[string]any {
	return objects(at(job, "spec", "template", "spec", sort))
}

func volume(t *testing.T, job map[string]any, name string) map[string]any {
	t.Helper()
	for _, v := range objects(at(job, "spec", "template", "spec", "volumes")) {
		if v["name"] == name {
			return v
		}
	}
	t.Fatalf("volume %s is missing", name)
	return nil
}

func find(t *testing.T, all []map[string]any, kind, name string) map[string]any {
	t.Helper()
	for _, o := range all {
		if o["kind"] == kind && at(o, "metadata", "name") == name {
			return o
		}
	}
	t.Fatalf("%s %s is missing", kind, name)
	return nil
}

func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, one := range list {
		if o, ok := one.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

func words(v any) (all []string) {
	list, _ := v.([]any)
	for _, one := range list {
		all = append(all, fmt.Sprint(one))
	}
	return all
}
