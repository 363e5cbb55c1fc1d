package plugins

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// madeOfPods are the resources whose objects make pods of a template.
var madeOfPods = map[schema.GroupResource]bool{
	{Resource: "replicationcontrollers"}:                true,
	{Resource: "podtemplates"}:                          true,
	{Group: appsv1.GroupName, Resource: "replicasets"}:  true,
	{Group: appsv1.GroupName, Resource: "deployments"}:  true,
	{Group: appsv1.GroupName, Resource: "statefulsets"}: true,
	{Group: appsv1.GroupName, Resource: "daemonsets"}:   true,
	{Group: batchv1.GroupName, Resource: "jobs"}:        true,
	{Group: batchv1.GroupName, Resource: "cronjobs"}:    true,
}

// podTemplateOf returns the template of which an object makes pods; nil where it has none.
func podTemplateOf(object runtime.Object) *corev1.PodTemplateSpec {
	switch o := object.(type) {
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *corev1.PodTemplate:
		return &o.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}
