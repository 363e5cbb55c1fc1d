package objects

import (
	"slices"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/removed"
)

// hubs lists the built-in kinds that have rules, each in its hub version.
func hubs() []*entry {
	return []*entry{
		hub(apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", customResourceDefinition),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", mutatingWebhookConfiguration),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", validatingWebhookConfiguration),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicy", mutatingAdmissionPolicy),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", mutatingAdmissionPolicyBinding),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicy", validatingAdmissionPolicy),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", validatingAdmissionPolicyBinding),

		hub(removed.APIRegistrationV1, "APIService", apiService),
		hub(removed.AuditRegistrationV1alpha1, "AuditSink", auditSink),

		hub(corev1.SchemeGroupVersion, "ConfigMap", configMap),
		hub(corev1.SchemeGroupVersion, "Endpoints", endpoints),
		hub(removed.Core, "EphemeralContainers", ephemeralContainers),
		hub(corev1.SchemeGroupVersion, "Event", event),
		hub(corev1.SchemeGroupVersion, "LimitRange", limitRange),
		hub(corev1.SchemeGroupVersion, "Namespace", namespace),
		hub(corev1.SchemeGroupVersion, "Node", node),
		hub(corev1.SchemeGroupVersion, "PersistentVolume", persistentVolume),
		hub(corev1.SchemeGroupVersion, "PersistentVolumeClaim", persistentVolumeClaim),
		hub(corev1.SchemeGroupVersion, "Pod", pod),
		hub(corev1.SchemeGroupVersion, "PodTemplate", podTemplate),
		hub(corev1.SchemeGroupVersion, "ReplicationController", replicationController),
		hub(corev1.SchemeGroupVersion, "ResourceQuota", resourceQuota),
		hub(corev1.SchemeGroupVersion, "Secret", secret),
		hub(corev1.SchemeGroupVersion, "Service", service),
		hub(corev1.SchemeGroupVersion, "ServiceAccount", serviceAccount),

		hub(appsv1.SchemeGroupVersion, "ControllerRevision", controllerRevision),
		hub(appsv1.SchemeGroupVersion, "DaemonSet", daemonSet),
		hub(appsv1.SchemeGroupVersion, "Deployment", deployment),
		hub(appsv1.SchemeGroupVersion, "ReplicaSet", replicaSet),
		hub(appsv1.SchemeGroupVersion, "StatefulSet", statefulSet),

		hub(authenticationv1.SchemeGroupVersion, "TokenRequest", tokenRequest),

		hub(autoscalingv2.SchemeGroupVersion, "HorizontalPodAutoscaler", horizontalPodAutoscaler),

		hub(batchv1.SchemeGroupVersion, "CronJob", cronJob),
		hub(batchv1.SchemeGroupVersion, "Job", job),

		hub(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", certificateSigningRequest),
		hub(certificatesv1beta1.SchemeGroupVersion, "ClusterTrustBundle", clusterTrustBundle),

		hub(coordinationv1.SchemeGroupVersion, "Lease", lease),
		hub(removed.CoordinationV1alpha1, "LeaseCandidate", leaseCandidateV1alpha1),

		hub(discoveryv1.SchemeGroupVersion, "EndpointSlice", endpointSlice),

		hub(flowcontrolv1.SchemeGroupVersion, "FlowSchema", flowSchema),
		hub(flowcontrolv1.SchemeGroupVersion, "PriorityLevelConfiguration", priorityLevelConfiguration),

		hub(removed.NetworkingV1alpha1, "ClusterCIDR", clusterCIDR),
		hub(networkingv1.SchemeGroupVersion, "Ingress", ingress),
		hub(networkingv1.SchemeGroupVersion, "IngressClass", ingressClass),
		hub(networkingv1.SchemeGroupVersion, "IPAddress", ipAddress),
		hub(networkingv1.SchemeGroupVersion, "NetworkPolicy", networkPolicy),
		hub(networkingv1.SchemeGroupVersion, "ServiceCIDR", serviceCIDR),

		hub(nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClass),

		hub(policyv1.SchemeGroupVersion, "PodDisruptionBudget", podDisruptionBudget),
		hub(removed.PolicyV1beta1, "PodSecurityPolicy", podSecurityPolicy),

		hub(rbacv1.SchemeGroupVersion, "ClusterRole", clusterRole),
		hub(rbacv1.SchemeGroupVersion, "ClusterRoleBinding", clusterRoleBinding),
		hub(rbacv1.SchemeGroupVersion, "Role", role),
		hub(rbacv1.SchemeGroupVersion, "RoleBinding", roleBinding),

		hub(resourcev1.SchemeGroupVersion, "DeviceClass", deviceClass),
		hub(resourcev1.SchemeGroupVersion, "ResourceClaim", resourceClaim),
		hub(resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", resourceClaimTemplate),
		hub(resourcev1.SchemeGroupVersion, "ResourceSlice", resourceSlice),

		hub(removed.ResourceV1alpha3, "PodSchedulingContext", podSchedulingContext),
		hub(removed.ResourceV1alpha2, "ResourceClaim", resourceClaimV1alpha2),
		hub(removed.ResourceV1alpha2, "ResourceClaimParameters", resourceClaimParameters),
		hub(removed.ResourceV1alpha2, "ResourceClaimTemplate", resourceClaimTemplateV1alpha2),
		hub(removed.ResourceV1alpha2, "ResourceClass", resourceClassV1alpha2),
		hub(removed.ResourceV1alpha2, "ResourceClassParameters", resourceClassParameters),
		hub(removed.ResourceV1alpha2, "ResourceSlice", resourceSliceV1alpha2),

		hub(schedulingv1.SchemeGroupVersion, "PriorityClass", priorityClass),
		hub(removed.SchedulingV1alpha1, "Workload", workloadV1alpha1),

		hub(storagev1.SchemeGroupVersion, "CSIDriver", csiDriver),
		hub(storagev1.SchemeGroupVersion, "CSINode", csiNode),
		hub(storagev1.SchemeGroupVersion, "CSIStorageCapacity", csiStorageCapacity),
		hub(storagev1.SchemeGroupVersion, "StorageClass", storageClass),
		hub(storagev1.SchemeGroupVersion, "VolumeAttachment", volumeAttachment),
		hub(storagev1.SchemeGroupVersion, "VolumeAttributesClass", volumeAttributesClass),

		hub(removed.StorageMigrationV1alpha1, "StorageVersionMigration", storageVersionMigrationV1alpha1),
	}
}

// versions lists the other versions, where they differ from their hub in more than name.
func versions() []*spoke {
	return slices.Concat(workloadVersions(), networkingVersions(), betaVersions(), definitionVersions(), scalerVersions(), roleBindingVersions(), accessReviewVersions(), scaleVersions(), []*spoke{
		versionOf(autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"), autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"), defaultScalerV1, scalerToHub, scalerFromHub),
		versionOf(eventsv1.SchemeGroupVersion.WithKind("Event"), corev1.SchemeGroupVersion.WithKind("Event"), nil, eventToCore, eventFromCore),
		reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", defaultMutatingWebhooksV1beta1),
		reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", defaultValidatingWebhooksV1beta1),
		reshape[*removed.PodSecurityPolicy](removed.ExtensionsV1beta1, removed.PolicyV1beta1, "PodSecurityPolicy", nil),
	})
}

var entries = sync.OnceValue(func() map[schema.GroupVersionKind]*entry {
	m := map[schema.GroupVersionKind]*entry{}
	for _, e := range hubs() {
		m[e.gvk] = e
	}
	return m
})

var spokes = sync.OnceValue(func() map[schema.GroupVersionKind]*spoke {
	m := map[schema.GroupVersionKind]*spoke{}
	for _, s := range slices.Concat(versions(), movedVersions(), alphaVersions()) {
		m[s.gvk] = s
	}
	return m
})
