package workload

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// childOf returns the first object that the controller of a workload creates for it, as
// kubernetes/kubernetes:pkg/controller/… does. ok is false if it creates none.
func childOf(o map[string]any) (child, bool) {
	spec := mapIn(o, "spec")
	version, _ := o["apiVersion"].(string)
	group, _, grouped := strings.Cut(version, "/")
	if grouped && !slices.Contains([]string{"apps", "batch", "extensions"}, group) {
		return child{}, false // a kind of the same name with another controller
	}
	switch kind, _ := o["kind"].(string); {
	case kind == "Deployment" && wanted(spec, "replicas"):
		return replicaSetOf(o), true
	case kind == "ReplicaSet" && wanted(spec, "replicas"):
		return podOf(o, "replicaset-controller"), true
	case kind == "ReplicationController" && wanted(spec, "replicas"):
		return podOf(o, "replication-controller"), true
	case kind == "StatefulSet" && wanted(spec, "replicas"):
		return statefulPodOf(o), true
	case kind == "DaemonSet":
		return daemonPodOf(o), true
	case kind == "Job" && spec["suspend"] != true && wanted(spec, "parallelism"):
		return jobPodOf(o), true
	case kind == "CronJob" && spec["suspend"] != true:
		return jobOf(o), true
	}
	return child{}, false
}

// wanted reports whether a number is not zero; a missing number counts as one.
func wanted(spec map[string]any, key string) bool {
	n, given := spec[key].(json.Number)
	return !given || n != "0"
}

func mapIn(o map[string]any, key string) map[string]any {
	m, _ := o[key].(map[string]any)
	return m
}

func copyOf(m map[string]any) map[string]any {
	c := maps.Clone(m)
	if c == nil {
		c = map[string]any{}
	}
	return c
}

// newChild returns the beginning of a child: in the namespace of its parent, which owns it.
func newChild(parent map[string]any, by, apiVersion, kind string) (child, map[string]any) {
	meta := mapIn(parent, "metadata")
	namespace, _ := meta["namespace"].(string)
	own := map[string]any{
		"namespace": namespace,
		"ownerReferences": []any{map[string]any{
			"apiVersion": parent["apiVersion"], "kind": parent["kind"], "name": meta["name"], "uid": meta["uid"],
			"controller": true, "blockOwnerDeletion": true,
		}},
	}
	return child{
		by: by, namespace: namespace, gvk: schema.FromAPIVersionAndKind(apiVersion, kind),
		object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": own},
	}, own
}

// podOf returns the pod of a template (kubernetes/kubernetes:pkg/controller/controller_utils.go, GetPodFromTemplate).
func podOf(parent map[string]any, by string) child {
	c, meta := newChild(parent, by, "v1", "Pod")
	template := mapIn(mapIn(parent, "spec"), "template")
	of := mapIn(template, "metadata")
	meta["generateName"] = nameOf(parent) + "-"
	meta["labels"], meta["annotations"] = copyOf(mapIn(of, "labels")), copyOf(mapIn(of, "annotations"))
	if finalizers, ok := of["finalizers"]; ok {
		meta["finalizers"] = finalizers
	}
	c.object["spec"] = copyOf(mapIn(template, "spec"))
	return c
}

func nameOf(o map[string]any) string {
	name, _ := mapIn(o, "metadata")["name"].(string)
	return name
}

const templateHash = "pod-template-hash"

// replicaSetOf returns the first ReplicaSet of a Deployment (kubernetes/kubernetes:pkg/controller/deployment/sync.go,
// getNewReplicaSet).
func replicaSetOf(parent map[string]any) child {
	c, meta := newChild(parent, "deployment-controller", "apps/v1", "ReplicaSet")
	spec := mapIn(parent, "spec")
	template := copyOf(mapIn(spec, "template"))
	hash := hashOf(template)
	labels := copyOf(mapIn(mapIn(template, "metadata"), "labels"))
	labels[templateHash] = hash
	templateMeta := copyOf(mapIn(template, "metadata"))
	templateMeta["labels"], template["metadata"] = labels, templateMeta
	selector := copyOf(mapIn(spec, "selector"))
	matchLabels := copyOf(mapIn(selector, "matchLabels"))
	matchLabels[templateHash], selector["matchLabels"] = hash, matchLabels

	meta["name"] = nameOf(parent) + "-" + hash
	meta["labels"] = copyOf(labels)
	annotations := copyOf(mapIn(mapIn(parent, "metadata"), "annotations"))
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	replicas := cmp.Or(numberIn(spec, "replicas"), "1")
	annotations["deployment.kubernetes.io/revision"] = "1"
	annotations["deployment.kubernetes.io/desired-replicas"] = replicas
	annotations["deployment.kubernetes.io/max-replicas"] = maxReplicas(replicas)
	meta["annotations"] = annotations
	set := map[string]any{"replicas": json.Number(replicas), "selector": selector, "template": template}
	if n, ok := spec["minReadySeconds"]; ok {
		set["minReadySeconds"] = n
	}
	c.object["spec"] = set
	return c
}

func numberIn(m map[string]any, key string) string {
	n, _ := m[key].(json.Number)
	return string(n)
}

// maxReplicas adds the quarter that an update may add.
func maxReplicas(replicas string) string {
	n, err := json.Number(replicas).Int64()
	if err != nil {
		return replicas
	}
	return fmt.Sprint(n + (n+3)/4)
}

// statefulPodOf returns the first pod of a StatefulSet
// (kubernetes/kubernetes:pkg/controller/statefulset/stateful_set_utils.go).
func statefulPodOf(parent map[string]any) child {
	c := podOf(parent, "statefulset-controller")
	spec, name := mapIn(parent, "spec"), nameOf(parent)
	ordinal := cmp.Or(numberIn(mapIn(spec, "ordinals"), "start"), "0")
	meta := mapIn(c.object, "metadata")
	delete(meta, "generateName")
	meta["name"] = name + "-" + ordinal
	labels := mapIn(meta, "labels")
	labels["statefulset.kubernetes.io/pod-name"] = meta["name"]
	labels["apps.kubernetes.io/pod-index"] = ordinal
	labels["controller-revision-hash"] = name + "-" + revisionHashOf(mapIn(spec, "template"))
	pod := mapIn(c.object, "spec")
	pod["hostname"] = meta["name"]
	if service, _ := spec["serviceName"].(string); service != "" {
		pod["subdomain"] = service
	}
	claims, _ := spec["volumeClaimTemplates"].([]any)
	volumes, _ := pod["volumes"].([]any)
	for _, one := range claims {
		claim, _ := one.(map[string]any)
		volumes = append(volumes, map[string]any{
			"name":                  nameOf(claim),
			"persistentVolumeClaim": map[string]any{"claimName": nameOf(claim) + "-" + name + "-" + ordinal},
		})
	}
	if len(volumes) > 0 {
		pod["volumes"] = volumes
	}
	return c
}

// daemonTolerations are the tolerations of the pods of a DaemonSet
// (kubernetes/kubernetes:pkg/controller/daemon/util/daemonset_util.go).
var daemonTolerations = []struct{ key, effect string }{
	{"node.kubernetes.io/not-ready", "NoExecute"},
	{"node.kubernetes.io/unreachable", "NoExecute"},
	{"node.kubernetes.io/disk-pressure", "NoSchedule"},
	{"node.kubernetes.io/memory-pressure", "NoSchedule"},
	{"node.kubernetes.io/pid-pressure", "NoSchedule"},
	{"node.kubernetes.io/unschedulable", "NoSchedule"},
}

// anyNode is the node for a pod of a DaemonSet; which nodes exist does not matter here.
const anyNode = "node-1"

func daemonPodOf(parent map[string]any) child {
	c := podOf(parent, "daemon-set-controller")
	labels := mapIn(mapIn(c.object, "metadata"), "labels")
	labels["controller-revision-hash"] = hashOf(mapIn(mapIn(parent, "spec"), "template"))
	labels["pod-template-generation"] = cmp.Or(numberIn(mapIn(parent, "metadata"), "generation"), "1")
	pod := mapIn(c.object, "spec")
	affinity := copyOf(mapIn(pod, "affinity"))
	affinity["nodeAffinity"] = map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{
		"nodeSelectorTerms": []any{map[string]any{"matchFields": []any{
			map[string]any{"key": "metadata.name", "operator": "In", "values": []any{anyNode}},
		}}},
	}}
	pod["affinity"] = affinity
	tolerations, _ := pod["tolerations"].([]any)
	for _, t := range daemonTolerations {
		tolerations = append(tolerations, map[string]any{"key": t.key, "operator": "Exists", "effect": t.effect})
	}
	if pod["hostNetwork"] == true {
		tolerations = append(tolerations, map[string]any{"key": "node.kubernetes.io/network-unavailable", "operator": "Exists", "effect": "NoSchedule"})
	}
	pod["tolerations"] = tolerations
	return c
}

// jobPodOf returns a pod of a Job (kubernetes/kubernetes:pkg/controller/job/job_controller.go).
func jobPodOf(parent map[string]any) child {
	c := podOf(parent, "job-controller")
	meta := mapIn(c.object, "metadata")
	finalizers, _ := meta["finalizers"].([]any)
	meta["finalizers"] = append(append([]any{}, finalizers...), "batch.kubernetes.io/job-tracking")
	if mapIn(parent, "spec")["completionMode"] == "Indexed" {
		mapIn(meta, "annotations")[completionIndex] = "0"
		mapIn(meta, "labels")[completionIndex] = "0"
		if _, given := mapIn(parent, "spec")["backoffLimitPerIndex"]; given {
			mapIn(meta, "annotations")["batch.kubernetes.io/job-index-failure-count"] = "0"
		}
		meta["generateName"] = nameOf(parent) + "-0-"
		spec := mapIn(c.object, "spec")
		spec["hostname"] = nameOf(parent) + "-0"
		for _, containers := range []string{"initContainers", "containers"} {
			if all, ok := spec[containers].([]any); ok {
				spec[containers] = withIndexEnv(all)
			}
		}
	}
	return c
}

const completionIndex = "batch.kubernetes.io/job-completion-index"

// withIndexEnv gives containers their index in the environment, unless they have it
// (kubernetes/kubernetes:pkg/controller/job/indexed_job_utils.go, addCompletionIndexEnvVariable).
func withIndexEnv(containers []any) []any {
	const name = "JOB_COMPLETION_INDEX"
	all := slices.Clone(containers)
	for i := range all {
		container, _ := all[i].(map[string]any)
		env, _ := container["env"].([]any)
		if slices.ContainsFunc(env, func(one any) bool { e, _ := one.(map[string]any); return e["name"] == name }) {
			continue
		}
		container = copyOf(container)
		container["env"] = append(slices.Clone(env), map[string]any{"name": name, "valueFrom": map[string]any{
			"fieldRef": map[string]any{"fieldPath": "metadata.labels['" + completionIndex + "']"},
		}})
		all[i] = container
	}
	return all
}

// jobOf returns a Job of a CronJob (kubernetes/kubernetes:pkg/controller/cronjob/utils.go). Its name ends in the time
// at which it was due, in minutes since 1970.
func jobOf(parent map[string]any) child {
	c, meta := newChild(parent, "cronjob-controller", "batch/v1", "Job")
	template := mapIn(mapIn(parent, "spec"), "jobTemplate")
	of := mapIn(template, "metadata")
	meta["name"] = nameOf(parent) + "-29453760"
	meta["labels"], meta["annotations"] = copyOf(mapIn(of, "labels")), copyOf(mapIn(of, "annotations"))
	mapIn(meta, "annotations")["batch.kubernetes.io/cronjob-scheduled-timestamp"] = "2026-01-01T00:00:00Z"
	c.object["spec"] = copyOf(mapIn(template, "spec"))
	return c
}
