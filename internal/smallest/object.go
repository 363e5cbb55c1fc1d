// Package smallest makes the smallest objects that an API server accepts: of well-known kinds, and of the kinds that
// CustomResourceDefinitions define.
//
// Start with [Object]. [Value] returns what a schema accepts. The package does not know what the objects are for.
package smallest

import (
	"maps"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object returns a small object of a kind that an API server accepts, for authors to complete. For kinds that are not
// well known, required fields may be missing; custom resources have what their schema requires.
func Object(kind schema.GroupVersionKind, name, namespace string, crd *apiextensionsv1.CustomResourceDefinition) map[string]any {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	object := map[string]any{}
	if fill, ok := samples[kind.GroupKind()]; ok {
		object = fill(name)
	} else if crd != nil {
		object = custom(schemaOf(crd, kind.Version))
	}
	object["apiVersion"], object["kind"] = kind.ToAPIVersionAndKind()
	object["metadata"] = metadata
	return Agreeing(kind.GroupKind(), object)
}

func containers() map[string]any {
	return map[string]any{"containers": []any{map[string]any{"name": "app", "image": "registry.example/app:1.0"}}}
}

// workload returns a function that makes an object with a pod template.
func workload(more map[string]any) func(string) map[string]any {
	return func(name string) map[string]any {
		labels := map[string]any{"app": name}
		spec := map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": containers()},
		}
		maps.Copy(spec, more)
		return map[string]any{"spec": spec}
	}
}

func job() map[string]any {
	pod := containers()
	pod["restartPolicy"] = "Never"
	return map[string]any{"template": map[string]any{"spec": pod}}
}

var samples = map[schema.GroupKind]func(name string) map[string]any{
	{Kind: "Pod"}:                        func(string) map[string]any { return map[string]any{"spec": containers()} },
	{Group: "apps", Kind: "Deployment"}:  workload(nil),
	{Group: "apps", Kind: "ReplicaSet"}:  workload(nil),
	{Group: "apps", Kind: "DaemonSet"}:   workload(nil),
	{Group: "apps", Kind: "StatefulSet"}: workload(map[string]any{"serviceName": "app"}),
	{Group: "batch", Kind: "Job"}:        func(string) map[string]any { return map[string]any{"spec": job()} },
	{Group: "batch", Kind: "CronJob"}: func(string) map[string]any {
		return map[string]any{"spec": map[string]any{"schedule": "@daily", "jobTemplate": map[string]any{"spec": job()}}}
	},
	{Kind: "Service"}: func(name string) map[string]any {
		return map[string]any{"spec": map[string]any{"selector": map[string]any{"app": name}, "ports": []any{map[string]any{"port": int64(80)}}}}
	},
	{Kind: "ConfigMap"}: func(string) map[string]any { return map[string]any{"data": map[string]any{"key": "value"}} },
	{Kind: "Secret"}: func(string) map[string]any {
		return map[string]any{"stringData": map[string]any{"key": "not a secret"}}
	},
	{Kind: "PersistentVolumeClaim"}: func(string) map[string]any {
		return map[string]any{"spec": map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}}
	},
	{Group: "networking.k8s.io", Kind: "Ingress"}: func(name string) map[string]any {
		return map[string]any{"spec": map[string]any{"defaultBackend": map[string]any{"service": map[string]any{"name": name, "port": map[string]any{"number": int64(80)}}}}}
	},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: func(string) map[string]any {
		return map[string]any{"spec": map[string]any{"podSelector": map[string]any{}}}
	},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        roleBinding,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: roleBinding,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: func(name string) map[string]any {
		target := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
		return map[string]any{"spec": map[string]any{"scaleTargetRef": target, "maxReplicas": int64(3)}}
	},
	{Group: "storage.k8s.io", Kind: "StorageClass"}: func(string) map[string]any {
		return map[string]any{"provisioner": "storage.example/disks"}
	},
	definition: func(string) map[string]any {
		version := map[string]any{
			"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
		}
		return map[string]any{"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced", "versions": []any{version},
			"names": map[string]any{"kind": "Example", "listKind": "ExampleList", "plural": "examples", "singular": "example"},
		}}
	},
}

var definition = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

func roleBinding(string) map[string]any {
	return map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}},
	}
}

// Agreeing returns an object whose fields agree as the server requires: a CustomResourceDefinition is named after what
// it defines, and says who approved a group of Kubernetes. Objects of other kinds are returned unchanged.
func Agreeing(kind schema.GroupKind, object map[string]any) map[string]any {
	spec, _ := object["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	plural, _ := names["plural"].(string)
	group, _ := spec["group"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	if kind != definition || plural == "" || group == "" || metadata == nil {
		return object
	}
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	object["metadata"], metadata["name"] = metadata, plural+"."+group
	annotations, _ := metadata["annotations"].(map[string]any)
	if strings.HasSuffix(group, ".k8s.io") && annotations[approved] == nil {
		annotations = maps.Clone(annotations)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[approved], metadata["annotations"] = "unapproved, an example", annotations
	}
	return object
}

const approved = "api-approved.kubernetes.io"

// custom returns the fields that a schema requires of a custom resource, without those that all objects have.
func custom(s *apiextensionsv1.JSONSchemaProps) map[string]any {
	if s == nil {
		return map[string]any{}
	}
	fields, _ := Value(s, 0).(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(fields, name)
	}
	return fields
}

func schemaOf(crd *apiextensionsv1.CustomResourceDefinition, version string) *apiextensionsv1.JSONSchemaProps {
	for _, v := range crd.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}
