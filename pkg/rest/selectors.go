package rest

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A selection tells which objects of a collection a request is about.
type selection struct {
	labels labels.Selector
	fields fields.Selector
}

// selection reads the selectors of the URL, and refuses fields that the kind cannot be
// selected by.
func (x *exchange) selection() (selection, error) {
	byLabel, err := labels.Parse(x.req.Query.Get("labelSelector"))
	if err != nil {
		return selection{}, badRequest("%s", err)
	}
	byField, err := fields.ParseSelector(x.req.Query.Get("fieldSelector"))
	if err != nil {
		return selection{}, badRequest("%s", err)
	}
	more, special := x.selectable()
	for _, r := range byField.Requirements() {
		switch {
		case r.Field == "metadata.name", slices.Contains(more, r.Field):
		case r.Field == "metadata.namespace" && x.resource.Namespaced:
		case special:
			return selection{}, badRequest("field label not supported: %s", r.Field)
		case r.Field != "metadata.namespace":
			return selection{}, badRequest("%q is not a known field selector: only %q, %q", r.Field, "metadata.name", "metadata.namespace")
		}
	}
	return selection{byLabel, byField}, nil
}

// selectable are the fields by which objects of the kind can be selected besides name and
// namespace. A special kind has its own words for others.
func (x *exchange) selectable() (more []string, special bool) {
	if x.resource.CRD != nil {
		for _, v := range x.resource.CRD.Spec.Versions {
			for _, f := range v.SelectableFields {
				if v.Name == x.req.Resource.Version {
					more = append(more, strings.TrimPrefix(f.JSONPath, "."))
				}
			}
		}
		return more, true
	}
	switch x.resource.Storage.GroupKind() {
	case schema.GroupKind{Kind: "Pod"}:
		return []string{"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}, true
	case schema.GroupKind{Kind: "Node"}:
		return []string{"spec.unschedulable"}, true
	case schema.GroupKind{Kind: "Namespace"}:
		return []string{"status.phase"}, true
	case schema.GroupKind{Kind: "ReplicationController"}, schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}:
		return []string{"status.replicas"}, true
	case schema.GroupKind{Kind: "Secret"}:
		return []string{"type"}, true
	case schema.GroupKind{Kind: "Service"}:
		return []string{"spec.clusterIP", "spec.type"}, true
	case schema.GroupKind{Kind: "Event"}:
		return []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "type"}, true
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		return []string{"status.successful"}, true
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:
		return []string{"spec.signerName"}, true
	}
	return nil, false
}

// matches tells whether a stored object is selected.
func (s selection) matches(object runtime.Object) (bool, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	if !s.labels.Matches(labels.Set(m.GetLabels())) {
		return false, nil
	}
	values := fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}
	for _, r := range s.fields.Requirements() {
		if _, known := values[r.Field]; known {
			continue
		}
		if values[r.Field], err = valueOf(object, r.Field); err != nil {
			return false, err
		}
	}
	return s.fields.Matches(values), nil
}

// valueOf is a field of an object as selectors compare it. What is not there has the zero
// value of its type, of which there are few.
func valueOf(object runtime.Object, path string) (string, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return "", err
	}
	value, found, err := unstructured.NestedFieldNoCopy(content, strings.Split(path, ".")...)
	switch {
	case err != nil, !found && path != "spec.unschedulable" && path != "spec.hostNetwork" && path != "status.replicas":
		return "", nil
	case !found && path == "status.replicas":
		return "0", nil
	case !found:
		return "false", nil
	}
	return fmt.Sprint(value), nil
}
