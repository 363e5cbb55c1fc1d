package space

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type fields = map[string]any

// ofPods has the fields that the server sets in the spec of every pod.
var ofPods = fields{
	"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
	"terminationGracePeriodSeconds": int64(30), "securityContext": fields{},
}

var templated = fields{"spec": ofPods}

// defaulted has the fields that the server sets in every object of a kind that lacks them, whatever else is in it, so
// that every object that a hook sees has them. Only their types matter. Fields that depend on others, such as the
// completions of a Job, are not included.
var defaulted = map[schema.GroupVersionKind]fields{
	corev1.SchemeGroupVersion.WithKind("Pod"):                   {"spec": ofPods},
	corev1.SchemeGroupVersion.WithKind("PodTemplate"):           {"template": templated},
	corev1.SchemeGroupVersion.WithKind("ReplicationController"): {"spec": fields{"replicas": int64(1)}},
	corev1.SchemeGroupVersion.WithKind("Service"):               {"spec": fields{"type": "ClusterIP", "sessionAffinity": "None"}},
	corev1.SchemeGroupVersion.WithKind("Secret"):                {"type": "Opaque"},
	corev1.SchemeGroupVersion.WithKind("PersistentVolume"):      {"spec": fields{"persistentVolumeReclaimPolicy": "Retain"}},
	appsv1.SchemeGroupVersion.WithKind("Deployment"): {"spec": fields{
		"replicas": int64(1), "revisionHistoryLimit": int64(10), "progressDeadlineSeconds": int64(600), "strategy": fields{"type": "RollingUpdate"}, "template": templated,
	}},
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"): {"spec": fields{
		"replicas": int64(1), "revisionHistoryLimit": int64(10), "podManagementPolicy": "OrderedReady", "updateStrategy": fields{"type": "RollingUpdate"}, "template": templated,
	}},
	appsv1.SchemeGroupVersion.WithKind("DaemonSet"): {"spec": fields{
		"revisionHistoryLimit": int64(10), "updateStrategy": fields{"type": "RollingUpdate"}, "template": templated,
	}},
	appsv1.SchemeGroupVersion.WithKind("ReplicaSet"): {"spec": fields{"replicas": int64(1), "template": templated}},
	batchv1.SchemeGroupVersion.WithKind("Job"):       {"spec": fields{"backoffLimit": int64(6), "template": templated}},
	batchv1.SchemeGroupVersion.WithKind("CronJob"): {"spec": fields{
		"concurrencyPolicy": "Allow", "suspend": false, "successfulJobsHistoryLimit": int64(3), "failedJobsHistoryLimit": int64(1),
		"jobTemplate": fields{"spec": fields{"template": templated}},
	}},
	autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"): {"spec": fields{"minReplicas": int64(1)}},
	autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"): {"spec": fields{"minReplicas": int64(1)}},
	storagev1.SchemeGroupVersion.WithKind("StorageClass"):                {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
}

// with returns an object with additional fields.
func with(object, further fields) fields {
	object = maps.Clone(object)
	for name, value := range further {
		inner, isObject := value.(fields)
		before, wasObject := object[name].(fields)
		if isObject && wasObject {
			value = with(before, inner)
		}
		if object == nil {
			object = fields{}
		}
		object[name] = value
	}
	return object
}
