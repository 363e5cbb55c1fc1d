package kubeversion

// An unsetField is a field that a release writes although it is not set (W-138), while the Go types omit it. Type is the
// name of the struct in OpenAPI, and Value the JSON that is written. For a list, null stands for [] as well. Without a
// Value it is the other way round: the release omits what the Go types write.
type unsetField = struct{ Type, Name, Value string }

// unsetFields lists them with the first minor version that has such a field, and the first that omits it.
var unsetFields = []struct {
	unsetField
	since, until int
}{
	{unsetField{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp", "null"}, 0, OmitsZeroTimes.since},
	// k8s.io/api@v0.15.12:events/v1beta1/types.go
	{unsetField{"io.k8s.api.events.v1beta1.Event", "reportingInstance", `""`}, 0, 16},
	{unsetField{"io.k8s.api.events.v1beta1.Event", "action", `""`}, 0, 16},
	{unsetField{"io.k8s.api.events.v1beta1.EventSeries", "state", `""`}, 0, 19},
	// k8s.io/kube-aggregator@v0.15.12:pkg/apis/apiregistration/v1/types.go
	{unsetField{"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", "caBundle", "null"}, 0, 11},
	{unsetField{"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", "service", "null"}, 0, 18},
	// k8s.io/api@v0.22.17:apps/v1/types.go
	{unsetField{"io.k8s.api.apps.v1.StatefulSetStatus", "availableReplicas", ""}, 22, 23},
	{unsetField{"io.k8s.api.apps.v1beta1.StatefulSetStatus", "availableReplicas", ""}, 22, 23},
	{unsetField{"io.k8s.api.apps.v1beta2.StatefulSetStatus", "availableReplicas", ""}, 22, 23},
	// KEP-2943
	{unsetField{"io.k8s.api.networking.v1.NetworkPolicy", "status", "{}"}, 24, 28},
	// k8s.io/api@v0.27.16:batch/v1/types.go
	{unsetField{"io.k8s.api.batch.v1.PodFailurePolicyRule", "onExitCodes", "null"}, 25, 28},
	{unsetField{"io.k8s.api.batch.v1.PodFailurePolicyRule", "onPodConditions", "null"}, 25, 28},
	{unsetField{"io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement", "containerName", "null"}, 25, 28},
	// k8s.io/api@v0.28.15:admissionregistration/v1beta1/types.go
	{unsetField{"io.k8s.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec", "variables", "null"}, 28, 29},
	{unsetField{"io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicySpec", "variables", "null"}, 28, 29},
	// k8s.io/api@v0.32.13:resource/v1beta1/types.go, where data is no pointer; k8s.io/api@v0.33.13:resource/v1beta2/types.go;
	// k8s.io/api@v0.34.2:resource/v1/types.go
	{unsetField{"io.k8s.api.resource.v1beta1.AllocatedDeviceStatus", "data", "null"}, 32, 33},
	{unsetField{"io.k8s.api.resource.v1beta1.DeviceRequestAllocationResult", "adminAccess", "null"}, 32, 34},
	{unsetField{"io.k8s.api.resource.v1beta2.DeviceRequestAllocationResult", "adminAccess", "null"}, 33, 34},
	{unsetField{"io.k8s.api.resource.v1.ResourceSliceSpec", "devices", "null"}, 34, 35},
	{unsetField{"io.k8s.api.resource.v1beta1.ResourceSliceSpec", "devices", "null"}, 32, 35},
	{unsetField{"io.k8s.api.resource.v1beta2.ResourceSliceSpec", "devices", "null"}, 33, 35},
}

// Unset returns the fields that the release writes although they are not set.
func (r *Release) Unset() (fields []struct{ Type, Name, Value string }) {
	for _, f := range unsetFields {
		if f.since <= r.Minor && r.Minor < f.until {
			fields = append(fields, f.unsetField)
		}
	}
	return fields
}
