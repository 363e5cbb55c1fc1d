package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// custom returns the columns of a custom resource, given those of its definition:
// kubernetes/apiextensions-apiserver:pkg/registry/customresource/tableconvertor/tableconvertor.go.
func custom(definitions []apiextensionsv1.CustomResourceColumnDefinition, release *kubeversion.Release) ([]metav1.TableColumnDefinition, func(runtime.Object, moment) ([]any, error)) {
	columns := []metav1.TableColumnDefinition{nameColumn(release)}
	if !release.Has(kubeversion.TableCustomColumns) {
		return append(columns, createdAt(release)), func(object runtime.Object, now moment) ([]any, error) {
			m, err := meta.Accessor(object)
			if err != nil {
				return nil, err
			}
			return []any{m.GetName(), age(m.GetCreationTimestamp(), now)}, nil
		}
	}
	var paths []*jsonpath.JSONPath
	for _, c := range definitions {
		path := jsonpath.New(c.Name)
		if err := path.Parse(fmt.Sprintf("{%s}", c.JSONPath)); err != nil {
			break // columns after an invalid one are not shown
		}
		path.AllowMissingKeys(true)
		description := c.Description
		if description == "" {
			description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		columns = append(columns, metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Description: description, Priority: c.Priority})
		paths = append(paths, path)
	}
	return columns, func(object runtime.Object, now moment) ([]any, error) {
		u, ok := object.(*unstructured.Unstructured)
		if !ok { // a subresource, such as a scale
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, err
			}
			u = &unstructured.Unstructured{Object: content}
		}
		cells := []any{u.GetName()}
		for i, path := range paths {
			cells = append(cells, cell(path, columns[i+1].Type, u, now))
		}
		return cells, nil
	}
}

// customColumns returns the columns that a definition has for a version. The default is a column with the age.
func customColumns(resource discovery.Resource, release *kubeversion.Release) []apiextensionsv1.CustomResourceColumnDefinition {
	for _, v := range resource.CRD.Spec.Versions {
		if v.Name == resource.Version && len(v.AdditionalPrinterColumns) > 0 {
			return v.AdditionalPrinterColumns
		}
	}
	return []apiextensionsv1.CustomResourceColumnDefinition{customAge(release)}
}

// scaleColumns returns the columns of the scale of a custom resource:
// kubernetes/apiextensions-apiserver:pkg/apiserver/helpers.go.
func scaleColumns(resource discovery.Resource, release *kubeversion.Release) (columns []apiextensionsv1.CustomResourceColumnDefinition) {
	for _, v := range resource.CRD.Spec.Versions {
		if v.Name == resource.Version && v.Subresources != nil && v.Subresources.Scale != nil {
			columns = []apiextensionsv1.CustomResourceColumnDefinition{
				{Name: "Desired", Type: "integer", Description: "Number of desired replicas", JSONPath: ".spec.replicas"},
				{Name: "Available", Type: "integer", Description: "Number of actual replicas", JSONPath: ".status.replicas"},
			}
		}
	}
	return append(columns, customAge(release))
}

func customAge(release *kubeversion.Release) apiextensionsv1.CustomResourceColumnDefinition {
	return apiextensionsv1.CustomResourceColumnDefinition{
		Name: "Age", Type: "date", Description: describe("ObjectMeta.creationTimestamp", release), JSONPath: ".metadata.creationTimestamp",
	}
}

func cell(path *jsonpath.JSONPath, columnType string, u *unstructured.Unstructured, now moment) any {
	results, err := path.FindResults(u.Object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return nil
	}
	value := results[0][0].Interface() // column paths have one result
	if columnType == "string" {
		var b bytes.Buffer
		if err := path.PrintResults(&b, []reflect.Value{reflect.ValueOf(value)}); err != nil {
			return nil
		}
		return b.String()
	}
	return cellOf(columnType, value, now)
}

func cellOf(columnType string, value any, now moment) any {
	switch columnType {
	case "integer":
		switch n := value.(type) {
		case int64:
			return n
		case float64:
			return int64(n)
		case json.Number:
			if whole, err := n.Int64(); err == nil {
				return whole
			}
		}
	case "number":
		switch n := value.(type) {
		case int64:
			return float64(n)
		case float64:
			return n
		case json.Number:
			if f, err := n.Float64(); err == nil {
				return f
			}
		}
	case "boolean":
		if b, ok := value.(bool); ok {
			return b
		}
	case "date":
		if text, ok := value.(string); ok {
			var t metav1.Time
			if err := t.UnmarshalQueryParameter(text); err != nil {
				return "<invalid>"
			}
			return age(t, now)
		}
	}
	return nil
}
