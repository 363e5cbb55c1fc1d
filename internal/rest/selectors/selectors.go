// Package selectors reads the label and field selectors and the other options of a list, a watch or the deletion of a
// collection, decides which objects are selected, and divides lists into pages. Start with [Parse], then [Selection.Page]. It
// also has the codecs for the options of writes.
package selectors

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Selection defines which objects of a collection a request is for.
type Selection struct {
	Options Options

	release   *kubeversion.Release
	resource  discovery.Resource
	namespace string // empty: all
	labels    labels.Selector
	fields    fields.Selector
	shards    sharding.Selector // nil: all
	paged     bool              // read page by page, whatever its limit
}

// Parse reads the selectors and options in the query of a request for a resource, in one namespace or in all. It refuses
// invalid options and fields that the kind does not support, with the server's errors and in its order.
func Parse(query url.Values, resource discovery.Resource, namespace string, r *kubeversion.Release) (Selection, error) {
	options, err := readOptions(query, r)
	if err != nil {
		return Selection{}, err
	}
	byLabel, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		return Selection{}, apierrors.NewBadRequest(labelWords(r, err))
	}
	byField, err := fields.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return Selection{}, apierrors.NewBadRequest(err.Error())
	}
	if options, err = options.checked(r); err != nil {
		return Selection{}, err
	}
	known := selectableIn(resource, r)
	for _, one := range byField.Requirements() {
		switch {
		case one.Field == "metadata.name", slices.Contains(known.fields, one.Field):
		case one.Field == "metadata.namespace" && (known.refusal == "" || resource.Namespaced):
		case known.refusal != "":
			return Selection{}, apierrors.NewBadRequest(fmt.Sprintf(known.refusal, one.Field))
		default:
			return Selection{}, apierrors.NewBadRequest(fmt.Sprintf("%q is not a known field selector: only %q, %q", one.Field, "metadata.name", "metadata.namespace"))
		}
	}
	byField, err = byField.Transform(known.ofObject)
	return Selection{Options: options, release: r, resource: resource, namespace: namespace, labels: byLabel, fields: byField}, err
}

// Matches reports whether a stored object is selected.
func (s Selection) Matches(object runtime.Object) (bool, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	if s.hides() && rules.InitializersOf(object) != nil {
		return false, nil
	}
	if !s.labels.Matches(labels.Set(m.GetLabels())) {
		return false, nil
	}
	if in, err := s.inShards().Matches(object); err != nil || !in {
		return false, err
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

// IsFor reports whether only the object of a name is selected.
func (s Selection) IsFor(name string) bool {
	selected, ok := s.fields.RequiresExactMatch("metadata.name")
	return ok && selected == name
}

// hides reports whether objects that are not initialized are left out (IN-09).
func (s Selection) hides() bool {
	return !s.Options.Uninitialized && !s.release.Has(kubeversion.NoInitializers)
}

// valueOf returns a field of an object as selectors compare it. A missing field has the zero value of its type, of
// which there are few.
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

// eventSource returns the source of an event, from its old field or its new one.
func eventSource(event map[string]any) string {
	if old, _, _ := unstructured.NestedString(event, "source", "component"); old != "" {
		return old
	}
	component, _, _ := unstructured.NestedString(event, "reportingComponent")
	return component
}

// counts reports whether the first page of a list says how many objects follow.
func (s Selection) counts() bool {
	return s.Empty() && s.release.Has(kubeversion.RemainingItems)
}

// Empty reports whether everything is selected.
func (s Selection) Empty() bool {
	return s.labels.Empty() && s.fields.Empty() && s.inShards().Empty() && !s.hides()
}
