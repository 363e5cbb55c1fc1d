package table

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// rarePrinters returns the printers of kinds that are rarely listed.
func rarePrinters() map[schema.GroupKind]printer {
	kind := func(group, kind string) schema.GroupKind { return schema.GroupKind{Group: group, Kind: kind} }
	return map[schema.GroupKind]printer{
		kind(autoscalingv1.GroupName, "Scale"): newPrinter("Name, Desired, Available, Age", func(o *autoscalingv1.Scale, now moment) []any {
			return []any{o.Name, int64(o.Spec.Replicas), int64(o.Status.Replicas), age(o.CreationTimestamp, now)}
		}),
		kind(apiextensionsv1.GroupName, "CustomResourceDefinition"): newPrinter("Name, Scope, Versions, Created At, Group, Kind, ShortNames, Established", definition),
		kind("apiregistration.k8s.io", "APIService"):                newPrinter("Name, Service, Available, Age", apiService),
		kind(certificatesv1.GroupName, "ClusterTrustBundle"): newPrinter("Name, SignerName", func(o *certificatesv1.ClusterTrustBundle, _ moment) []any {
			return []any{o.Name, orNone(o.Spec.SignerName)}
		}),
		kind(certificatesv1.GroupName, "PodCertificateRequest"): newPrinter("Name, PodName, ServiceAccountName, NodeName, SignerName, State, UnverifiedUserAnnotations", podCertificate),
		kind(coordinationv1beta1.GroupName, "LeaseCandidate"): newPrinter("Name, LeaseName, BinaryVersion, EmulationVersion, Age", func(o *coordinationv1beta1.LeaseCandidate, now moment) []any {
			return []any{o.Name, o.Spec.LeaseName, o.Spec.BinaryVersion, o.Spec.EmulationVersion, age(o.CreationTimestamp, now)}
		}),
		kind(flowcontrolv1.GroupName, "FlowSchema"):                 newPrinter("Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL", flow),
		kind(flowcontrolv1.GroupName, "PriorityLevelConfiguration"): newPrinter("Name, Type, NominalConcurrencyShares, AssuredConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age", priorityLevel),
		kind(apiserverinternalv1alpha1.GroupName, "StorageVersion"): newPrinter("Name, CommonEncodingVersion, StorageVersions, Age", func(o *apiserverinternalv1alpha1.StorageVersion, now moment) []any {
			var stored []string
			for _, s := range o.Status.StorageVersions {
				stored = append(stored, s.APIServerID+"="+s.EncodingVersion)
			}
			return []any{o.Name, unset(o.Status.CommonEncodingVersion), firstThree(stored, "<unset>"), age(o.CreationTimestamp, now)}
		}),
		kind(networkingv1.GroupName, "ServiceCIDR"): newPrinter("Name, CIDRs, Age", func(o *networkingv1.ServiceCIDR, now moment) []any {
			return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), age(o.CreationTimestamp, now)}
		}),
		kind(networkingv1.GroupName, "IPAddress"): newPrinter("Name, ParentRef", func(o *networkingv1.IPAddress, now moment) []any {
			parent := "<none>"
			if ref := o.Spec.ParentRef; ref != nil {
				parent = strings.ToLower(schema.GroupResource{Group: ref.Group, Resource: ref.Resource}.String())
				if ref.Namespace != "" {
					parent += "/" + ref.Namespace
				}
				parent += "/" + ref.Name
			}
			return []any{o.Name, parent, age(o.CreationTimestamp, now)} // a cell more than there are columns, as in the server
		}),
		kind(storagev1.GroupName, "CSIDriver"): newPrinter("Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes, Age", driver),
		kind(networkingv1.GroupName, "ClusterCIDR"): newPrinter("Name, PerNodeHostBits, IPv4, IPv6, Age, NodeSelector", func(o *builtin.ClusterCIDR, now moment) []any {
			return []any{o.Name, fmt.Sprint(o.Spec.PerNodeHostBits), orNone(o.Spec.IPv4), orNone(o.Spec.IPv6), age(o.CreationTimestamp, now), nodeSelector(o.Spec.NodeSelector)}
		}),
		kind(storagev1.GroupName, "VolumeAttachment"): newPrinter("Name, Attacher, PV, Node, Attached, Age", func(o *storagev1.VolumeAttachment, now moment) []any {
			return []any{o.Name, o.Spec.Attacher, orEmpty(o.Spec.Source.PersistentVolumeName), o.Spec.NodeName, o.Status.Attached, age(o.CreationTimestamp, now)}
		}),
		kind(storagemigrationv1.GroupName, "StorageVersionMigration"): newPrinter("Name, Resource, Status", migration),
		kind(schedulingv1alpha3.GroupName, "Workload"): newPrinter("Name, Age", func(o *schedulingv1alpha3.Workload, now moment) []any {
			return []any{o.Name, age(o.CreationTimestamp, now)}
		}),
		kind(schedulingv1alpha3.GroupName, "PodGroup"): newPrinter("Name, Policy, Workload, Status, Age", podGroup),
		kind(schedulingv1alpha3.GroupName, "CompositePodGroup"): newPrinter("Name, Policy, Workload, Age", func(o *schedulingv1alpha3.CompositePodGroup, now moment) []any {
			workload := ""
			if o.Spec.WorkloadRef != nil {
				workload = o.Spec.WorkloadRef.WorkloadName
			}
			return []any{o.Name, podGroupPolicy(o.Spec.SchedulingPolicy.Gang != nil), orNone(workload), age(o.CreationTimestamp, now)}
		}),
	}
}

// definition shows a CustomResourceDefinition:
// kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/tableconvertor/tableconvertor.go.
func definition(o *apiextensionsv1.CustomResourceDefinition, _ moment) []any {
	var versions []string
	for _, v := range o.Spec.Versions {
		if !v.Served {
			continue
		}
		name := v.Name
		if v.Storage {
			name += "(storage)"
		}
		versions = append(versions, name)
	}
	slices.Sort(versions)
	established := slices.ContainsFunc(o.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	return []any{
		o.Name, string(o.Spec.Scope), strings.Join(versions, ","), o.CreationTimestamp.UTC().Format(time.RFC3339),
		o.Spec.Group, o.Spec.Names.Kind, strings.Join(o.Spec.Names.ShortNames, ","), established,
	}
}

// apiService follows kubernetes/kube-aggregator:pkg/registry/apiservice/etcd/etcd.go.
func apiService(o *builtin.APIService, now moment) []any {
	by, available := "Local", string(metav1.ConditionUnknown)
	if s := o.Spec.Service; s != nil {
		by = s.Namespace + "/" + s.Name
	}
	for _, c := range o.Status.Conditions {
		if c.Type != "Available" {
			continue
		}
		if available = string(c.Status); c.Status != metav1.ConditionTrue && c.Reason != "" {
			available = fmt.Sprintf("%s (%s)", c.Status, c.Reason)
		}
		break
	}
	return []any{o.Name, by, available, age(o.CreationTimestamp, now)}
}

func podCertificate(o *certificatesv1beta1.PodCertificateRequest, _ moment) []any {
	state := "Pending"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case certificatesv1beta1.PodCertificateRequestConditionTypeIssued, certificatesv1beta1.PodCertificateRequestConditionTypeDenied, certificatesv1beta1.PodCertificateRequestConditionTypeFailed:
			state = c.Type
		}
	}
	return []any{o.Name, o.Spec.PodName, o.Spec.ServiceAccountName, string(o.Spec.NodeName), o.Spec.SignerName, state, selector(o.Spec.UnverifiedUserAnnotations)}
}

func flow(o *flowcontrolv1.FlowSchema, now moment) []any {
	method, dangling := "<none>", "?"
	if m := o.Spec.DistinguisherMethod; m != nil {
		method = string(m.Type)
	}
	for _, c := range o.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			dangling = string(c.Status)
			break
		}
	}
	return []any{o.Name, o.Spec.PriorityLevelConfiguration.Name, int64(o.Spec.MatchingPrecedence), method, age(o.CreationTimestamp, now), dangling}
}

func priorityLevel(o *flowcontrolv1.PriorityLevelConfiguration, now moment) []any {
	var shares, queues, hand, length any = "<none>", "<none>", "<none>", "<none>"
	if limited := o.Spec.Limited; limited != nil {
		shares = int64(0)
		if limited.NominalConcurrencyShares != nil {
			shares = int64(*limited.NominalConcurrencyShares)
		}
		if q := limited.LimitResponse.Queuing; q != nil {
			queues, hand, length = int64(q.Queues), int64(q.HandSize), int64(q.QueueLengthLimit)
		}
	}
	return []any{o.Name, string(o.Spec.Type), shares, shares, queues, hand, length, age(o.CreationTimestamp, now)}
}

func driver(o *storagev1.CSIDriver, now moment) []any {
	valueOr := func(set *bool, byDefault bool) bool {
		if set == nil {
			return byDefault
		}
		return *set
	}
	var modes, audiences []string
	for _, m := range o.Spec.VolumeLifecycleModes {
		modes = append(modes, string(m))
	}
	for _, t := range o.Spec.TokenRequests {
		audiences = append(audiences, t.Audience)
	}
	tokens := "<unset>"
	if o.Spec.TokenRequests != nil {
		tokens = strings.Join(audiences, ",")
	}
	return []any{
		o.Name, valueOr(o.Spec.AttachRequired, true), valueOr(o.Spec.PodInfoOnMount, false), valueOr(o.Spec.StorageCapacity, false),
		tokens, valueOr(o.Spec.RequiresRepublish, false), orNone(strings.Join(modes, ",")), age(o.CreationTimestamp, now),
	}
}

func migration(o *storagemigrationv1.StorageVersionMigration, _ moment) []any {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case string(storagemigrationv1.MigrationRunning), string(storagemigrationv1.MigrationFailed), string(storagemigrationv1.MigrationSucceeded):
			if c.Status == metav1.ConditionTrue {
				status = c.Type
			}
		}
	}
	return []any{o.Name, o.Spec.Resource.String(), status}
}

func podGroup(o *schedulingv1alpha3.PodGroup, now moment) []any {
	workload := ""
	if o.Spec.WorkloadRef != nil {
		workload = o.Spec.WorkloadRef.WorkloadName
	}
	status := podGroupStatus(o.Status.Conditions, schedulingv1alpha3.PodGroupInitiallyScheduled)
	return []any{o.Name, podGroupPolicy(o.Spec.SchedulingPolicy.Gang != nil), orNone(workload), status, age(o.CreationTimestamp, now)}
}

// formerPodGroup shows a PodGroup of 1.36: kubernetes/kubernetes@v1.36.3:pkg/printers/internalversion/printers.go.
func formerPodGroup(o *builtin.PodGroup, now moment) []any {
	workload := ""
	if ref := o.Spec.PodGroupTemplateRef; ref != nil && ref.Workload != nil {
		workload = ref.Workload.WorkloadName
	}
	status := podGroupStatus(o.Status.Conditions, "PodGroupScheduled")
	return []any{o.Name, podGroupPolicy(o.Spec.SchedulingPolicy.Gang != nil), orNone(workload), status, age(o.CreationTimestamp, now)}
}

func podGroupPolicy(gang bool) string {
	if gang {
		return "Gang"
	}
	return "Basic"
}

func podGroupStatus(conditions []metav1.Condition, scheduled string) string {
	status := "Pending"
	if c := meta.FindStatusCondition(conditions, scheduled); c != nil {
		if status = "Unschedulable"; c.Status == metav1.ConditionTrue {
			status = "Scheduled"
		}
	}
	if c := meta.FindStatusCondition(conditions, schedulingv1alpha3.DisruptionTarget); c != nil {
		status = c.Reason
	}
	return status
}

func nodeSelector(s *corev1.NodeSelector) string {
	if s == nil {
		return "<none>"
	}
	var terms []string
	for _, t := range s.NodeSelectorTerms {
		if len(t.MatchExpressions) > 0 {
			terms = append(terms, fmt.Sprintf("MatchExpressions: %v", t.MatchExpressions))
		}
		if len(t.MatchFields) > 0 {
			terms = append(terms, fmt.Sprintf("MatchFields: %v", t.MatchFields))
		}
	}
	return strings.Join(terms, ",")
}
