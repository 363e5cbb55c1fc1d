package selectors

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A selectable holds the fields by which objects of a kind can be selected, besides name and namespace. Kinds with a
// list of such fields in the server have their own error for other fields.
type selectable struct {
	fields  []string
	refusal string
	names   map[string]string // fields whose name in selectors differs from that in the object
}

const unknownField = "field label not supported: %s"

// selectableIn follows the conversions of field labels, which depend on the version of the request:
// kubernetes/kubernetes:pkg/apis/*/v*/conversion.go.
func selectableIn(resource discovery.Resource, r *kubeversion.Release) selectable {
	if resource.CRD != nil {
		return selectableCustom(resource)
	}
	with := func(f kubeversion.Feature, fields ...string) []string {
		if r.Has(f) {
			return fields
		}
		return nil
	}
	switch resource.Kind.GroupKind() {
	case schema.GroupKind{Kind: "Pod"}:
		fields := []string{"spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP", "status.nominatedNodeName"}
		fields = append(fields, with(kubeversion.SelectPodIPs, "status.podIPs")...)
		fields = append(fields, with(kubeversion.SelectHostNetwork, "spec.hostNetwork")...)
		return selectable{fields, unknownField, map[string]string{"spec.host": "spec.nodeName"}}
	case schema.GroupKind{Kind: "Node"}:
		return selectable{fields: []string{"spec.unschedulable"}, refusal: unknownField}
	case schema.GroupKind{Kind: "Namespace"}:
		return selectable{fields: []string{"status.phase"}, refusal: unknownField}
	case schema.GroupKind{Kind: "ReplicationController"}:
		return selectable{fields: []string{"status.replicas"}, refusal: unknownField}
	case schema.GroupKind{Kind: "Secret"}:
		return selectable{fields: []string{"type"}, refusal: unknownField}
	case schema.GroupKind{Kind: "Service"}:
		if fields := with(kubeversion.SelectServices, "spec.clusterIP", "spec.type"); fields != nil {
			return selectable{fields: fields, refusal: unknownField}
		}
	case schema.GroupKind{Kind: "Event"}:
		fields := []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "source", "type"}
		return selectable{fields: append(fields, with(kubeversion.SelectEventReporters, "reportingComponent")...), refusal: unknownField}
	case schema.GroupKind{Group: "events.k8s.io", Kind: "Event"}:
		if r.Has(kubeversion.SelectEventReporters) {
			return selectableEvents()
		}
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		refusal := "field label %q not supported for Job"
		if !r.Has(kubeversion.JobSelectorWords) {
			refusal = "field label %q not supported for batchv1.Job"
		}
		return selectable{fields: []string{"status.successful"}, refusal: refusal, names: map[string]string{"status.successful": "status.succeeded"}}
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:
		return selectable{fields: []string{"spec.signerName"}, refusal: unknownField}
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:
		return selectable{fields: []string{"spec.signerName"}, refusal: unknownField}
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:
		return selectable{fields: []string{"spec.signerName", "spec.podName", "spec.nodeName"}, refusal: unknownField}
	case schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"}:
		fields := append([]string{"spec.nodeName", "spec.driver"}, with(kubeversion.SelectPools, "spec.pool.name")...)
		return selectable{fields: fields, refusal: "field label not supported for " + resource.Kind.String() + ": %s"}
	}
	return selectable{}
}

// selectableEvents is for the version in which the fields of events have new names.
func selectableEvents() selectable {
	s := selectable{fields: []string{"reason", "type"}, refusal: unknownField, names: map[string]string{"reportingController": "reportingComponent"}}
	for _, field := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
		s.names["regarding."+field] = "involvedObject." + field
	}
	for name := range s.names {
		s.fields = append(s.fields, name)
	}
	return s
}

func selectableCustom(resource discovery.Resource) selectable {
	s := selectable{refusal: unknownField}
	for _, v := range resource.CRD.Spec.Versions {
		for _, f := range v.SelectableFields {
			if v.Name == resource.Version {
				s.fields = append(s.fields, strings.TrimPrefix(f.JSONPath, "."))
			}
		}
	}
	return s
}

// ofObject returns the path of a field in the object, and the requested value.
func (s selectable) ofObject(field, value string) (string, string, error) {
	if name, renamed := s.names[field]; renamed {
		field = name
	}
	return field, value, nil
}
