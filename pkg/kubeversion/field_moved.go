package kubeversion

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A MovedField is a field that a release has in another place than the Go types. In is the path of the objects that
// contain both places. Was is the place in the release, and Is the place in the types, both as paths within these
// objects. Is is empty for a field that the types do not have. Package moved describes the paths and the other fields.
type MovedField struct {
	In, Was, Is    string
	Types, Model   string
	Always, Atomic bool
}

// A movedField is a [MovedField] of some releases.
type movedField struct {
	MovedField
	since, until int // the first minor version that has it there, and the first that no longer does
}

// movedFields lists the moved fields by the group and kind of the hub. Fields that not all releases have are also rows of
// [laterFields], at their places in the types.
var movedFields = map[schema.GroupKind][]movedField{
	{Kind: "Pod"}: {
		// k8s.io/api@v0.36.3:core/v1/types.go, NodeAllocatableResourceClaimStatus
		{MovedField{In: "status.nodeAllocatableResourceClaimStatuses[]", Was: "resources{}", Is: "mapping[name].quantity",
			Types: "NodeAllocatableResourceClaimStatus map[v1.ResourceName]resource.Quantity", Always: true, Atomic: true}, 36, 37},
	},
	{Kind: "Event"}: {
		// k8s.io/api@v0.15.12:core/v1/types.go, EventSeries
		{MovedField{Was: "series.state", Types: "EventSeries", Model: "io.k8s.api.core.v1.EventSeries"}, 10, 19},
	},
	{Kind: "Service"}: {
		// k8s.io/api@v0.19.16:core/v1/types.go, k8s.io/api@v0.20.15:core/v1/types.go, ServiceSpec
		{MovedField{Was: "spec.ipFamily", Types: "ServiceSpec", Model: "io.k8s.api.core.v1.ServiceSpec"}, 16, 20},
		{MovedField{Was: "spec.topologyKeys", Types: "ServiceSpec", Model: "io.k8s.api.core.v1.ServiceSpec"}, 17, 22},
	},
	{Kind: "PersistentVolumeClaim"}:      formerClaimFields(""),
	{Group: "apps", Kind: "StatefulSet"}: formerClaimFields("spec.volumeClaimTemplates[]"),
	{Group: "networking.k8s.io", Kind: "IPAddress"}: {
		// k8s.io/api@v0.28.15:networking/v1alpha1/types.go, ParentReference
		{MovedField{Was: "spec.parentRef.uid", Types: "ParentReference", Model: "io.k8s.api.networking.v1.ParentReference"}, 27, 29},
	},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: {
		// k8s.io/api@v0.26.15:networking/v1/types.go, NetworkPolicyStatus
		{MovedField{Was: "status", Types: "NetworkPolicy", Model: "io.k8s.api.networking.v1.NetworkPolicy"}, 24, 28},
	},
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}: append(movedDeviceFields("spec.devices[]", "Device"), movedDeviceFields("spec.devices[].basic", "BasicDevice")...),
}

// movedPodFields lists the moved fields of everything that contains the spec of a pod. Up to 1.30, a claim of a pod has a
// source, which says what the claim refers to and is always written: k8s.io/api@v0.30.14:core/v1/types.go,
// PodResourceClaim. The reference to a workload only existed in 1.35: k8s.io/api@v0.35.4:core/v1/types.go, PodSpec.
var movedPodFields = []movedField{
	{MovedField{In: "spec.volumes[].ephemeral.volumeClaimTemplate", Was: "spec.resources.claims", Types: "ResourceRequirements", Model: "io.k8s.api.core.v1.VolumeResourceRequirements"}, 26, 29},
	{MovedField{Was: "spec.workloadRef", Types: "PodSpec", Model: "io.k8s.api.core.v1.PodSpec"}, 35, 36},
	{MovedField{In: "spec.resourceClaims[]", Was: "source.resourceClaimName", Is: "resourceClaimName", Types: "PodResourceClaim v1.ClaimSource string"}, 26, 31},
	{MovedField{In: "spec.resourceClaims[]", Was: "source.resourceClaimTemplateName", Is: "resourceClaimTemplateName", Types: "PodResourceClaim v1.ClaimSource string"}, 26, 31},
}

// movedMetadata lists the moved fields of all metadata, that of templates as well (CV-10b):
// k8s.io/apimachinery@v0.15.12:pkg/apis/meta/v1/types.go, ObjectMeta.
var movedMetadata = []movedField{
	{MovedField{Was: "metadata.initializers", Types: "ObjectMeta", Model: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}, 10, 16},
	{MovedField{Was: "metadata.clusterName", Types: "ObjectMeta", Model: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}, 10, 25},
}

// templatesWithin says where kinds have metadata besides their own and that of pods.
var templatesWithin = map[schema.GroupKind]string{
	{Group: "apps", Kind: "StatefulSet"}:                      "spec.volumeClaimTemplates[]",
	{Group: "batch", Kind: "CronJob"}:                         "spec.jobTemplate",
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: "spec",
	{Group: "settings.k8s.io", Kind: "PodPreset"}:             "spec.volumes[].ephemeral.volumeClaimTemplate",
}

// formerClaimFields returns the fields of a claim for volumes that the types do not have:
// k8s.io/api@v0.26.15:core/v1/types.go, PersistentVolumeClaimStatus and ResourceRequirements.
func formerClaimFields(claim string) []movedField {
	return []movedField{
		{MovedField{In: claim, Was: "status.resizeStatus", Types: "PersistentVolumeClaimStatus", Model: "io.k8s.api.core.v1.PersistentVolumeClaimStatus"}, 23, 28},
		{MovedField{In: claim, Was: "spec.resources.claims", Types: "ResourceRequirements", Model: "io.k8s.api.core.v1.VolumeResourceRequirements"}, 26, 29},
	}
}

// movedDeviceFields returns the moved fields of a device: k8s.io/api@v0.36.3:resource/v1/types.go,
// NodeAllocatableResourceMapping. Its multiplier applies to a capacity or, without one, to the number of devices; the
// types have a field for each.
func movedDeviceFields(device, goType string) []movedField {
	goType += " map[v1.ResourceName]VERSION.NodeAllocatableResourceMapping VERSION.NodeAllocatableResourceMapping"
	return []movedField{
		{MovedField{In: device, Was: "nodeAllocatableResourceMappings{}.capacityKey", Is: "nodeAllocatableResources{}.mapping.capacityKey", Types: goType + " VERSION.QualifiedName"}, 36, 37},
		{MovedField{In: device, Was: "nodeAllocatableResourceMappings{}.allocationMultiplier", Is: "nodeAllocatableResources{}.mapping.capacityMultiplier", Types: goType}, 36, 37},
	}
}

// Moved returns the fields of a kind that the release has in another place than the Go types.
func (r *Release) Moved(kind schema.GroupKind) (fields []MovedField) {
	for _, f := range movedFieldsOf(kind, func(f movedField) bool { return f.isIn(r) }) {
		fields = append(fields, f.MovedField)
	}
	return fields
}

// movedFieldsOf returns those moved fields of a kind, in all releases, that are wanted. It is called for each request.
func movedFieldsOf(kind schema.GroupKind, wanted func(movedField) bool) (fields []movedField) {
	add := func(within string, rows []movedField) {
		for _, f := range rows {
			if wanted(f) {
				f.In = strings.Trim(within+"."+f.In, ".")
				fields = append(fields, f)
			}
		}
	}
	add("", movedFields[kind])
	if prefix, ok := podsWithin[kind]; ok {
		add(strings.TrimSuffix(prefix, "."), movedPodFields)
	}
	if slices.ContainsFunc(movedMetadata, wanted) {
		for _, within := range withMetadata(kind) {
			add(within, movedMetadata)
		}
	}
	return fields
}

// withMetadata returns the paths of everything in a kind that has metadata, first of all its objects themselves.
func withMetadata(kind schema.GroupKind) []string {
	paths := []string{""}
	if prefix, ok := podsWithin[kind]; ok {
		if prefix != "" {
			paths = append(paths, strings.TrimSuffix(prefix, "."))
		}
		paths = append(paths, prefix+"spec.volumes[].ephemeral.volumeClaimTemplate")
	}
	if template, ok := templatesWithin[kind]; ok {
		paths = append(paths, template)
	}
	return paths
}

func (f movedField) isIn(r *Release) bool { return f.since <= r.Minor && r.Minor < f.until }

// AbsentPlace is [Release.Absent] for the place of a moved field in other releases, or for what contains it: a path in a
// kind, such as spec.resourceClaims[].source.
func (r *Release) AbsentPlace(kind schema.GroupKind, path string) (text string) {
	path = withoutIndices(path)
	for _, f := range movedFieldsOf(kind, func(movedField) bool { return true }) {
		in := withoutIndices(f.In)
		rest, within := strings.CutPrefix(strings.TrimPrefix(in+"."+withoutIndices(f.Was), "."), path)
		isPart := rest == "" || f.Is != "" && (rest[0] == '.' || rest[0] == '[') // what contains a field without a place is in the types
		if within && isPart && len(path) > len(in) {
			if f.isIn(r) {
				return ""
			}
			text = absent(r, f.since, f.until)
		}
	}
	return text
}

// withoutIndices returns a path with [] for each index of a list or map.
func withoutIndices(path string) string { return anyIndex().ReplaceAllString(path, "[]") }

var anyIndex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]|\{\}`) })
