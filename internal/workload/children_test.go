package workload

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestChildOf(t *testing.T) {
	tests := []struct {
		name, object, want string // want: controller, kind and name, then the labels and annotations; empty: no child
	}{
		{"deployment", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {labels: {app: web}}}}}`, "deployment-controller ReplicaSet web-"},
		{"old deployment", `{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: web}, spec: {template: {}}}`, "deployment-controller ReplicaSet web-"},
		{"no replicas", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, template: {}}}`, ""},
		{"replica set", `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1}, spec: {replicas: 2}}`, "replicaset-controller Pod web-1-*"},
		{"replication controller", `{apiVersion: v1, kind: ReplicationController, metadata: {name: web}, spec: {}}`, "replication-controller Pod web-*"},
		{"stateful set", `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {ordinals: {start: 3}}}`, "statefulset-controller Pod db-3"},
		{"daemon set", `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {}}`, "daemon-set-controller Pod agent-*"},
		{"daemon set of another group", `{apiVersion: apps.kruise.io/v1, kind: DaemonSet, metadata: {name: agent}, spec: {}}`, ""},
		{"indexed job", `{apiVersion: batch/v1, kind: Job, metadata: {name: sum}, spec: {completionMode: Indexed}}`, "job-controller Pod sum-0-*"},
		{"suspended job", `{apiVersion: batch/v1, kind: Job, metadata: {name: sum}, spec: {suspend: true}}`, ""},
		{"job that runs nothing", `{apiVersion: batch/v1, kind: Job, metadata: {name: sum}, spec: {parallelism: 0}}`, ""},
		{"cron job", `{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {jobTemplate: {}}}`, "cronjob-controller Job nightly-"},
		{"suspended cron job", `{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {suspend: true}}`, ""},
		{"pod", `{apiVersion: v1, kind: Pod, metadata: {name: web}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if c, ok := childOf(read(t, tt.object)); ok {
				meta := mapIn(c.object, "metadata")
				name, _ := meta["name"].(string)
				if generated, ok := meta["generateName"].(string); ok {
					name = generated + "*"
				}
				got = c.by + " " + c.gvk.Kind + " " + name
			}
			if got != tt.want && (tt.want == "" || !strings.HasSuffix(tt.want, "-") || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("made %q, want %q", got, tt.want)
			}
		})
	}
}

// A child has an owner, and the workload is not changed.
func TestChildIsOwned(t *testing.T) {
	const text = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop, uid: u}, spec: {serviceName: dbs, template: {metadata: {labels: {app: db}}, spec: {volumes: [{name: tmp}]}}, volumeClaimTemplates: [{metadata: {name: data}}]}}`
	parent := read(t, text)
	c, ok := childOf(parent)
	if !ok || c.namespace != "shop" {
		t.Fatalf("made in %q: %v", c.namespace, ok)
	}
	if diff := cmp.Diff(read(t, text), parent); diff != "" {
		t.Errorf("the workload has changed:\n%s", diff)
	}
	want := read(t, `{ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u, controller: true, blockOwnerDeletion: true}]}`)
	if diff := cmp.Diff(want["ownerReferences"], mapIn(c.object, "metadata")["ownerReferences"]); diff != "" {
		t.Errorf("owner:\n%s", diff)
	}
	want = read(t, `{hostname: db-0, subdomain: dbs, volumes: [{name: tmp}, {name: data, persistentVolumeClaim: {claimName: data-db-0}}]}`)
	if diff := cmp.Diff(want, mapIn(c.object, "spec")); diff != "" {
		t.Errorf("spec:\n%s", diff)
	}
}

// A pod of an Indexed Job has its index, and so does each of its containers; what the Job itself sets is kept.
func TestIndexedJob(t *testing.T) {
	const text = `{apiVersion: batch/v1, kind: Job, metadata: {name: sum}, spec: {completionMode: Indexed, backoffLimitPerIndex: 2, template: {spec: {
		initContainers: [{name: fetch}], containers: [{name: a, env: [{name: A, value: b}]}, {name: own, env: [{name: JOB_COMPLETION_INDEX, value: "7"}]}]}}}}`
	parent := read(t, text)
	c, _ := childOf(parent)
	if diff := cmp.Diff(read(t, text), parent); diff != "" {
		t.Errorf("the Job has changed:\n%s", diff)
	}
	const index = `{name: JOB_COMPLETION_INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']"}}}`
	want := read(t, `{hostname: sum-0, initContainers: [{name: fetch, env: [`+index+`]}],
		containers: [{name: a, env: [{name: A, value: b}, `+index+`]}, {name: own, env: [{name: JOB_COMPLETION_INDEX, value: "7"}]}]}`)
	if diff := cmp.Diff(want, mapIn(c.object, "spec")); diff != "" {
		t.Errorf("spec:\n%s", diff)
	}
	want = read(t, `{batch.kubernetes.io/job-completion-index: "0", batch.kubernetes.io/job-index-failure-count: "0"}`)
	if diff := cmp.Diff(want, mapIn(mapIn(c.object, "metadata"), "annotations")); diff != "" {
		t.Errorf("annotations:\n%s", diff)
	}
}

func read(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}
