package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admsimtest"
)

const deployed = "../../deploy/replay"

// A jobController creates the pods of a Job in a simulated server, as the controller of kube-controller-manager does
// (kubernetes/kubernetes:pkg/controller/job/job_controller.go, manageJob, and indexed_job_utils.go).
type jobController struct {
	t       *testing.T
	cluster *admsimtest.Cluster
	job     batchv1.Job
}

// applied makes a server create what kustomizations build, one after the other. It returns the controllers of their
// Jobs, by name.
func applied(t *testing.T, folders ...string) map[string]*jobController {
	t.Helper()
	args := []string{"run", "-o", "jsonl"}
	for _, folder := range folders {
		args = append(args, "-f", filepath.Join(deployed, folder))
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, nil, &stdout, &stderr); code > exitDenied || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var objects []runtime.Object
	jobs := map[string]*jobController{}
	for line := range bytes.Lines(stdout.Bytes()) {
		var answer struct {
			Code     int
			Object   *unstructured.Unstructured
			Warnings []string
			Status   metav1.Status
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		if d := answer.Status.Details; answer.Code == http.StatusConflict && d != nil && d.Kind == "namespaces" {
			continue // each kustomization has it, and kubectl apply leaves it unchanged
		}
		if answer.Code != http.StatusCreated {
			t.Fatal(answer.Status.Message)
		}
		if len(answer.Warnings) > 0 {
			t.Errorf("%s %s: warnings %q", answer.Object.GetKind(), answer.Object.GetName(), answer.Warnings)
		}
		if answer.Object.GetKind() != "Job" {
			objects = append(objects, answer.Object)
			continue
		}
		j := &jobController{t: t}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object.Object, &j.job); err != nil {
			t.Fatal(err)
		}
		jobs[j.job.Name] = j
	}
	cluster := admsimtest.New(t, admsimtest.Options{Objects: objects})
	for _, j := range jobs {
		j.cluster = cluster
	}
	return jobs
}

// pod returns the pod of an index, as the server stores it; failed is how often that index has failed before. The index
// is -1 for a Job without indexes.
func (j *jobController) pod(index, failed int) *corev1.Pod {
	j.t.Helper()
	template := j.job.Spec.Template.DeepCopy()
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: j.job.Namespace, GenerateName: j.job.Name + "-", Labels: template.Labels, Annotations: template.Annotations,
			Finalizers:      []string{batchv1.JobTrackingFinalizer},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(&j.job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: template.Spec,
	}
	if index >= 0 {
		number := fmt.Sprint(index)
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[batchv1.JobCompletionIndexAnnotation], pod.Labels[batchv1.JobCompletionIndexAnnotation] = number, number
		pod.Annotations[batchv1.JobIndexFailureCountAnnotation] = fmt.Sprint(failed)
		pod.Spec.Hostname = j.job.Name + "-" + number
		pod.GenerateName = pod.Spec.Hostname + "-"
		for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
			for i := range containers {
				indexed(&containers[i])
			}
		}
	}
	stored := &corev1.Pod{}
	j.cluster.Create(pod, admsimtest.As("system:serviceaccount:kube-system:job-controller", "system:serviceaccounts", "system:authenticated")).Admitted().Into(stored)
	return stored
}

// indexed gives a container its index, unless it already has it.
func indexed(c *corev1.Container) {
	const name = "JOB_COMPLETION_INDEX"
	if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
		return
	}
	c.Env = append(c.Env, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
		FieldPath: "metadata.labels['" + batchv1.JobCompletionIndexAnnotation + "']",
	}}})
}

// A node runs containers as processes. Its volumes are folders, by the names of their claims.
type node struct {
	t       *testing.T
	volumes map[string]string
}

// command returns the command of a container as a kubelet starts it, with its volumes at their paths on this machine.
func (n *node) command(pod *corev1.Pod, c *corev1.Container) *exec.Cmd {
	n.t.Helper()
	set := map[string]string{}
	var environment []string
	for _, e := range c.Env {
		value := expanded(e.Value, set)
		if e.ValueFrom != nil {
			value = n.field(pod, e.ValueFrom.FieldRef.FieldPath)
		}
		set[e.Name] = value
		environment = append(environment, e.Name+"="+value)
	}
	mounts := n.mounts(pod, c)
	var words []string
	for _, word := range slices.Concat(c.Command, c.Args) {
		words = append(words, mounts.Replace(expanded(word, set)))
	}
	started := exec.Command(words[0], words[1:]...)
	started.Dir = n.t.TempDir()
	started.Env = append(environment, "PATH="+os.Getenv("PATH")) // stands for the PATH of the image
	return started
}

var variable = regexp.MustCompile(`\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// expanded expands variables in a word; a variable that is not set is left unchanged.
func expanded(word string, set map[string]string) string {
	return variable.ReplaceAllStringFunc(word, func(found string) string {
		if found == "$$" {
			return "$"
		}
		if value, ok := set[variable.FindStringSubmatch(found)[1]]; ok {
			return value
		}
		return found
	})
}

var fieldPath = regexp.MustCompile(`^metadata\.(labels|annotations)\['(.+)'\]$`)

func (n *node) field(pod *corev1.Pod, path string) string {
	n.t.Helper()
	found := fieldPath.FindStringSubmatch(path)
	if found == nil {
		n.t.Fatalf("the node does not know the field %s", path)
	}
	value, ok := map[string]map[string]string{"labels": pod.Labels, "annotations": pod.Annotations}[found[1]][found[2]]
	if !ok {
		n.t.Fatalf("the pod has no %s", path)
	}
	return value
}

// mounts replaces the mount paths of a container with the folders of its volumes.
func (n *node) mounts(pod *corev1.Pod, c *corev1.Container) *strings.Replacer {
	n.t.Helper()
	var pairs []string
	for _, m := range c.VolumeMounts {
		if strings.HasPrefix(m.MountPath, "/var/run/secrets/") {
			n.t.Errorf("the pod has a token, which it does not need")
			continue
		}
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if i < 0 || pod.Spec.Volumes[i].PersistentVolumeClaim == nil {
			n.t.Fatalf("there is no claim for %s", m.MountPath)
		}
		folder, ok := n.volumes[pod.Spec.Volumes[i].PersistentVolumeClaim.ClaimName]
		if !ok {
			n.t.Fatalf("there is no volume for %s", m.MountPath)
		}
		pairs = append(pairs, m.MountPath+"/", folder+"/")
	}
	return strings.NewReplacer(pairs...)
}

// run runs the container of a pod to its end, or kills it once until returns true. It returns the exit code, or -1 if
// the container was killed.
func (n *node) run(pod *corev1.Pod, until func() bool) int {
	n.t.Helper()
	var said bytes.Buffer
	c := n.command(pod, &pod.Spec.Containers[0])
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		n.t.Error(err)
		return exitBug
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	for until != nil {
		select {
		case <-ended:
			until = nil
		case <-time.After(2 * time.Millisecond):
			if until() {
				_ = c.Process.Kill()
				until = nil
			}
		}
	}
	<-ended
	code := c.ProcessState.ExitCode()
	if code > exitAdmitted {
		n.t.Errorf("%q: exit code %d\n%s", c.Args, code, &said)
	}
	return code
}

// A server admits the Job of deploy/replay and its pods, and these pods do what README.md promises: run two at a time
// and killed in the middle, they write what a single process writes.
func TestReplayJob(t *testing.T) {
	if testing.Short() {
		t.Skip("package replay has the same goroutines, and tests that take less time")
	}
	jobs := applied(t, "recording", ".", "merge")
	j := jobs["admsim-replay"]

	n := &node{t, map[string]string{"recording": t.TempDir(), "results": t.TempDir()}}
	log, world, results := filepath.Join(n.volumes["recording"], "log"), filepath.Join(n.volumes["recording"], "world"), n.volumes["results"]
	for _, folder := range []string{log, world} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(world, "policy.yaml"), []byte(noConfigMaps), 0o600); err != nil {
		t.Fatal(err)
	}
	repeat(t, filepath.Join(log, "audit.log"), 3)

	var mutex sync.Mutex
	killed, resumed := 0, 0
	var running sync.WaitGroup
	slots := make(chan struct{}, 2)
	for index := range int(*j.job.Spec.Completions) {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			checkpoint := filepath.Join(results, fmt.Sprintf("shard-%d.checkpoint", index))
			exists := func() bool { _, err := os.Stat(checkpoint); return err == nil }
			until := exists
			if index%2 == 1 { // kills also happen before there is a checkpoint
				until = func() bool {
					lines, err := os.Stat(filepath.Join(results, "lines", fmt.Sprintf("shard-%d.jsonl", index)))
					return err == nil && lines.Size() > 0
				}
			}
			for failed := range int(*j.job.Spec.BackoffLimitPerIndex) + 1 {
				mutex.Lock()
				pod := j.pod(index, failed)
				mutex.Unlock()
				if n.run(pod, until) != -1 {
					return
				}
				mutex.Lock()
				if killed++; exists() {
					resumed++
				}
				mutex.Unlock()
				until = nil // from now on it is not killed
			}
			t.Errorf("index %d has failed too often", index)
		})
	}
	running.Wait()
	t.Logf("%d pods were killed, %d of them after a checkpoint", killed, resumed)
	if killed == 0 {
		t.Error("no pod was killed in the middle: make the log longer")
	}

	n.run(jobs["admsim-replay-merge"].pod(-1, 0), nil)

	whole, lines := filepath.Join(t.TempDir(), "summary.json"), filepath.Join(t.TempDir(), "whole.jsonl")
	admsimOK(t, "replay", "--cluster="+world, "--allow-differences", "--output=json="+whole, "--output=jsonl="+lines, log)
	if !bytes.Equal(read(t, filepath.Join(results, "summary.json")), read(t, whole)) {
		t.Errorf("the summary of the Jobs is\n%s\nthat of one process\n%s", read(t, filepath.Join(results, "summary.json")), read(t, whole))
	}
	if !bytes.Equal(read(t, filepath.Join(results, "all.jsonl")), read(t, lines)) {
		t.Error("the lines of the Jobs are not those of one process")
	}
}

// noConfigMaps is a policy that the recorded cluster did not have.
const noConfigMaps = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-configmaps}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - {expression: "false", message: there are enough of them}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-configmaps}
spec: {policyName: no-configmaps, validationActions: [Deny]}
`

// The Jobs over buckets are admitted as well, with their pods and the container that fetches the recording, and so is
// the pod for copying. What breaks the rules of the namespace is not.
func TestReplayManifests(t *testing.T) {
	for _, folder := range []string{"s3", "gcs", "azure"} {
		t.Run(folder, func(t *testing.T) {
			jobs := applied(t, folder, "merge")
			j := jobs["admsim-replay"]
			for index := range int(*j.job.Spec.Completions) {
				pod := j.pod(index, 0)
				if len(pod.Spec.InitContainers) != 1 || pod.Spec.InitContainers[0].Command[0] != "admsim-bucket" {
					t.Errorf("its pods fetch by %v", pod.Spec.InitContainers)
				}
			}
			jobs["admsim-replay-merge"].pod(-1, 0)

			j.job.Spec.Template.Spec.Containers[0].SecurityContext.Capabilities = nil
			pod := &corev1.Pod{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: metav1.ObjectMeta{Namespace: j.job.Namespace, Name: "careless"}, Spec: j.job.Spec.Template.Spec,
			}
			j.cluster.Create(pod).Denied("violates PodSecurity", "unrestricted capabilities")
		})
	}
}
