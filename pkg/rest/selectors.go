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
	known := x.selectable()
	for _, r := range byField.Requirements() {
		switch {
		case r.Field == "metadata.name", slices.Contains(known.fields, r.Field):
		case r.Field == "metadata.namespace" && (known.refusal == "" || x.resource.Namespaced):
		case known.refusal != "":
			return selection{}, badRequest(known.refusal, r.Field)
		default:
			return selection{}, badRequest("%q is not a known field selector: only %q, %q", r.Field, "metadata.name", "metadata.namespace")
		}
	}
	byField, err = byField.Transform(known.ofObject)
	return selection{byLabel, byField}, err
}

// matches reports whether a stored object is selected.
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
	case path == "source":
		return eventSource(content), nil
	case err == nil && found:
		return fmt.Sprint(value), nil
	case path == "status.replicas", path == "status.succeeded":
		return "0", nil
	case path == "spec.unschedulable", path == "spec.hostNetwork":
		return "false", nil
	}
	return "", nil
}

// eventSource is who an event comes from, by its old field or its new one.
func eventSource(event map[string]any) string {
	if old, _, _ := unstructured.NestedString(event, "source", "component"); old != "" {
		return old
	}
	component, _, _ := unstructured.NestedString(event, "reportingComponent")
	return component
}
