package builtin

import (
	"regexp"
	"strings"
)

// serverNames has the names of types in k8s.io/api where they differ from those here, which are unique in this package
// and shorter.
var serverNames = map[string]string{
	"AllocationV1alpha1":                "AllocationResult",
	"AllocationV1alpha2":                "AllocationResult",
	"AllocationV1alpha3":                "AllocationResult",
	"AuditClientConfig":                 "WebhookClientConfig",
	"AuditPolicy":                       "Policy",
	"AuditServiceReference":             "ServiceReference",
	"AuditThrottle":                     "WebhookThrottleConfig",
	"AuditWebhook":                      "Webhook",
	"BasicDeviceV1alpha3":               "BasicDevice",
	"ClaimConsumer":                     "ResourceClaimConsumerReference",
	"ClaimParametersReference":          "ResourceClaimParametersReference",
	"ClaimSchedulingStatus":             "ResourceClaimSchedulingStatus",
	"ClaimSpecV1alpha2":                 "ResourceClaimSpec",
	"ClaimSpecV1alpha3":                 "ResourceClaimSpec",
	"ClaimStatusV1alpha1":               "ResourceClaimStatus",
	"ClaimStatusV1alpha2":               "ResourceClaimStatus",
	"ClaimStatusV1alpha3":               "ResourceClaimStatus",
	"ClaimTemplateSpecV1alpha2":         "ResourceClaimTemplateSpec",
	"ClaimTemplateSpecV1alpha3":         "ResourceClaimTemplateSpec",
	"ClassParametersReference":          "ResourceClassParametersReference",
	"ConfiguredInitializer":             "Initializer",
	"DeviceClassListV1alpha3":           "DeviceClassList",
	"DeviceClassSpecV1alpha3":           "DeviceClassSpec",
	"DeviceClassV1alpha3":               "DeviceClass",
	"DeviceV1alpha3":                    "Device",
	"DriverAllocation":                  "DriverAllocationResult",
	"InitializerRule":                   "Rule",
	"MigratedResource":                  "GroupVersionResource",
	"NamedAllocation":                   "NamedResourcesAllocationResult",
	"NamedAttribute":                    "NamedResourcesAttribute",
	"NamedInstance":                     "NamedResourcesInstance",
	"NamedInstances":                    "NamedResourcesResources",
	"NamedInts":                         "NamedResourcesIntSlice",
	"NamedSelector":                     "NamedResourcesRequest",
	"NamedStrings":                      "NamedResourcesStringSlice",
	"PodSchedulingContextListV1alpha2":  "PodSchedulingContextList",
	"PodSchedulingSpec":                 "PodSchedulingContextSpec",
	"PodSchedulingStatus":               "PodSchedulingContextStatus",
	"ResourceClaimListV1alpha1":         "ResourceClaimList",
	"ResourceClaimListV1alpha2":         "ResourceClaimList",
	"ResourceClaimListV1alpha3":         "ResourceClaimList",
	"ResourceClaimTemplateListV1alpha1": "ResourceClaimTemplateList",
	"ResourceClaimTemplateListV1alpha2": "ResourceClaimTemplateList",
	"ResourceClaimTemplateListV1alpha3": "ResourceClaimTemplateList",
	"ResourceClaimTemplateV1alpha2":     "ResourceClaimTemplate",
	"ResourceClaimTemplateV1alpha3":     "ResourceClaimTemplate",
	"ResourceClaimV1alpha1":             "ResourceClaim",
	"ResourceClaimV1alpha2":             "ResourceClaim",
	"ResourceClaimV1alpha3":             "ResourceClaim",
	"ResourceClassListV1alpha1":         "ResourceClassList",
	"ResourceClassListV1alpha2":         "ResourceClassList",
	"ResourceClassV1alpha2":             "ResourceClass",
	"ResourceSliceListV1alpha2":         "ResourceSliceList",
	"ResourceSliceListV1alpha3":         "ResourceSliceList",
	"ResourceSliceV1alpha2":             "ResourceSlice",
	"ResourceSliceV1alpha3":             "ResourceSlice",
	"ScalerListV2beta1":                 "HorizontalPodAutoscalerList",
	"ScalerListV2beta2":                 "HorizontalPodAutoscalerList",
	"ScalerSpecV2beta1":                 "HorizontalPodAutoscalerSpec",
	"ScalerStatusV2beta1":               "HorizontalPodAutoscalerStatus",
	"ScalerStatusV2beta2":               "HorizontalPodAutoscalerStatus",
	"ScalerV2beta1":                     "HorizontalPodAutoscaler",
	"ScalerV2beta2":                     "HorizontalPodAutoscaler",
	"SliceSpecV1alpha3":                 "ResourceSliceSpec",
	"StructuredHandle":                  "StructuredResourceHandle",
	"WorkloadBasicPolicy":               "BasicSchedulingPolicy",
	"WorkloadController":                "TypedLocalObjectReference",
	"WorkloadGangPolicy":                "GangSchedulingPolicy",
	"WorkloadListV1alpha2":              "WorkloadList",
	"WorkloadPodGroup":                  "PodGroup",
	"WorkloadPodGroupPolicy":            "PodGroupPolicy",
	"WorkloadSpecV1alpha2":              "WorkloadSpec",
	"WorkloadV1alpha2":                  "Workload",
}

var typeNames = regexp.MustCompile(`\b(builtin\.|Go struct field )(\w+)`)

// AsServer rewrites the Go types of this package in a decoder's message to the names of the server, in which each version
// of an API group is a package.
func AsServer(message, version string) string {
	return typeNames.ReplaceAllStringFunc(message, func(found string) string {
		of := typeNames.FindStringSubmatch(found)
		name, where := of[2], of[1]
		if server, ok := serverNames[name]; ok {
			name = server
		}
		if strings.HasPrefix(where, "builtin") {
			where = version + "."
		}
		return where + name
	})
}
