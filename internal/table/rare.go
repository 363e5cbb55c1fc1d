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
		kind(autoscalingv1.GroupName, "Scale"): newPrinter("Name, Desired:integer, Available:integer, Age", func(o *autoscalingv1.Scale, now time.Time) []any {
			return []any{o.Name, int64(o.Spec.Replicas), int64(o.Status.Replicas), age(o.CreationTimestamp, now)}
		}),
		kind(apiextensionsv1.GroupName, "CustomResourceDefinition"): newPrinter("Name, Scope, Versions, Created At:date, +Group, +Kind, +ShortNames, +Established:boolean", definition),
		kind("apiregistration.k8s.io", "APIService"):                newPrinter("Name, Service, Available, Age", apiService),
		kind(certificatesv1.GroupName, "ClusterTrustBundle"): newPrinter("Name, SignerName", func(o *certificatesv1.ClusterTrustBundle, _ time.Time) []any {
			return []any{o.Name, orNone(o.Spec.SignerName)}
		}),
		kind(certificatesv1.GroupName, "PodCertificateRequest"): newPrinter("Name, PodName, ServiceAccountName, NodeName, SignerName, State, UnverifiedUserAnnotations", podCertificate),
		kind(coordinationv1beta1.GroupName, "LeaseCandidate"): newPrinter("Name, LeaseName, BinaryVersion, EmulationVersion, Age", func(o *coordinationv1beta1.LeaseCandidate, now time.Time) []any {
			return []any{o.Name, o.Spec.LeaseName, o.Spec.BinaryVersion, o.Spec.EmulationVersion, age(o.CreationTimestamp, now)}
		}),
		kind(flowcontrolv1.GroupName, "FlowSchema"):                 newPrinter("Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL", flow),
		kind(flowcontrolv1.GroupName, "PriorityLevelConfiguration"): newPrinter("Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age", priorityLevel),
		kind(apiserverinternalv1alpha1.GroupName, "StorageVersion"): newPrinter("Name, CommonEncodingVersion, StorageVersions, Age", func(o *apiserverinternalv1alpha1.StorageVersion, now time.Time) []any {
			var stored []string
			for _, s := range o.Status.StorageVersions {
				stored = append(stored, s.APIServerID+"="+s.EncodingVersion)
			}
			return []any{o.Name, unset(o.Status.CommonEncodingVersion), firstThree(stored, "<unset>"), age(o.CreationTimestamp, now)}
		}),
		kind(networkingv1.GroupName, "ServiceCIDR"): newPrinter("Name, CIDRs, Age", func(o *networkingv1.ServiceCIDR, now time.Time) []any {
			return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), age(o.CreationTimestamp, now)}
		}),
		kind(networkingv1.GroupName, "IPAddress"): newPrinter("Name, ParentRef", func(o *networkingv1.IPAddress, now time.Time) []any {
			parent := "<none>"
			if ref := o.Spec.ParentRef; ref != nil {
				parent = strings.ToLower(schema.GroupResource{Group: ref.Group, Resource: ref.Resource}.String())
				if ref.Namespace != "" {
					parent += "/" + ref.Namespace
				}
				parent += "/" + ref.Name
			}
			return []any{o.Name, parent, age(o.CreationTimestamp, now)} // the server sends one cell more than there are columns
		}),
		kind(storagev1.GroupName, "CSIDriver"): newPrinter("Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age", driver),
		kind(storagev1.GroupName, "VolumeAttachment"): newPrinter("Name, Attacher, PV, Node, Attached:boolean, Age", func(o *storagev1.VolumeAttachment, now time.Time) []any {
			return []any{o.Name, o.Spec.Attacher, orEmpty(o.Spec.Source.PersistentVolumeName), o.Spec.NodeName, o.Status.Attached, age(o.CreationTimestamp, now)}
		}),
		kind(storagemigrationv1.GroupName, "StorageVersionMigration"): newPrinter("Name, Resource, Status", migration),
		kind(schedulingv1alpha3.GroupName, "Workload"): newPrinter("Name, Age", func(o *schedulingv1alpha3.Workload, now time.Time) []any {
			return []any{o.Name, age(o.CreationTimestamp, now)}
		}),
		kind(schedulingv1alpha3.GroupName, "PodGroup"): newPrinter("Name, Policy, Workload, Status, Age", podGroup),
		kind(schedulingv1alpha3.GroupName, "CompositePodGroup"): newPrinter("Name, Policy, Workload, Age", func(o *schedulingv1alpha3.CompositePodGroup, now time.Time) []any {
			policy, workload := "Basic", "<none>"
			if o.Spec.SchedulingPolicy.Gang != nil {
				policy = "Gang"
			}
			if o.Spec.WorkloadRef != nil {
				workload = o.Spec.WorkloadRef.WorkloadName
			}
			return []any{o.Name, policy, workload, age(o.CreationTimestamp, now)}
		}),
	}
}

// definition shows a CustomResourceDefinition:
// kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/tableconvertor/tableconvertor.go.
func definition(o *apiextensionsv1.CustomResourceDefinition, _ time.Time) []any {
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
func apiService(o *builtin.APIService, now time.Time) []any {
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

func podCertificate(o *certificatesv1beta1.PodCertificateRequest, _ time.Time) []any {
	state := "Pending"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case certificatesv1beta1.PodCertificateRequestConditionTypeIssued, certificatesv1beta1.PodCertificateRequestConditionTypeDenied, certificatesv1beta1.PodCertificateRequestConditionTypeFailed:
			state = c.Type
		}
	}
	return []any{o.Name, o.Spec.PodName, o.Spec.ServiceAccountName, string(o.Spec.NodeName), o.Spec.SignerName, state, selector(o.Spec.UnverifiedUserAnnotations)}
}

func flow(o *flowcontrolv1.FlowSchema, now time.Time) []any {
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

func priorityLevel(o *flowcontrolv1.PriorityLevelConfiguration, now time.Time) []any {
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
	return []any{o.Name, string(o.Spec.Type), shares, queues, hand, length, age(o.CreationTimestamp, now)}
}

func driver(o *storagev1.CSIDriver, now time.Time) []any {
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

func migration(o *storagemigrationv1.StorageVersionMigration, _ time.Time) []any {
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

func podGroup(o *schedulingv1alpha3.PodGroup, now time.Time) []any {
	policy, workload, status := "Basic", "<none>", "Pending"
	if o.Spec.SchedulingPolicy.Gang != nil {
		policy = "Gang"
	}
	if o.Spec.WorkloadRef != nil {
		workload = o.Spec.WorkloadRef.WorkloadName
	}
	if c := meta.FindStatusCondition(o.Status.Conditions, schedulingv1alpha3.PodGroupInitiallyScheduled); c != nil {
		if status = "Unschedulable"; c.Status == metav1.ConditionTrue {
			status = "Scheduled"
		}
	}
	if c := meta.FindStatusCondition(o.Status.Conditions, schedulingv1alpha3.DisruptionTarget); c != nil {
		status = c.Reason
	}
	return []any{o.Name, policy, workload, status, age(o.CreationTimestamp, now)}
}
