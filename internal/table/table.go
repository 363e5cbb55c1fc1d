// Package table shows objects as rows: the server produces what kubectl get prints. Built-in kinds have the columns
// that kubectl users know, custom resources those of their definitions.
//
// Start with [New] and [Builder.Add]. The columns of the kinds are in the other files of this package, which are named
// after API groups. They follow kubernetes/kubernetes:pkg/printers/internalversion/printers.go.
package table

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
)

// A converter converts an object to another version.
type converter interface {
	Convert(runtime.Object, schema.GroupVersionKind) (runtime.Object, error)
}

// A Builder builds a table of objects of one resource.
type Builder struct {
	APIVersion string                     // of the table
	ListMeta   metav1.ListMeta            // of the list that is shown
	Include    metav1.IncludeObjectPolicy // which part of the object a row contains; the default is the metadata

	resource discovery.Resource
	convert  converter
	now      time.Time
	columns  []metav1.TableColumnDefinition
	cells    func(runtime.Object, time.Time) ([]any, error)
	rows     []metav1.TableRow
}

// New returns an empty table of objects of a resource, with ages relative to now.
func New(resource discovery.Resource, convert converter, now time.Time) *Builder {
	b := &Builder{resource: resource, convert: convert, now: now}
	if resource.CRD != nil {
		b.columns, b.cells = custom(resource)
		return b
	}
	b.show(resource.Storage)
	return b
}

// show selects the columns of a built-in kind.
func (b *Builder) show(kind schema.GroupVersionKind) {
	p, known := formerPrinters()[kind]
	if !known {
		p, known = printers()[kind.GroupKind()]
	}
	if known {
		b.columns, b.cells = p.columns, p.cells
		return
	}
	b.columns = []metav1.TableColumnDefinition{nameColumn, {Name: "Created At", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]}}
	b.cells = nameAndTime
}

// Add adds a row for an object, in the version of the request.
func (b *Builder) Add(object runtime.Object) error {
	m, err := meta.Accessor(object)
	if err != nil {
		return fmt.Errorf("the resource %s does not support being converted to a Table", b.resource.GroupVersionResource.GroupResource())
	}
	printed := object
	switch kind := object.GetObjectKind().GroupVersionKind(); {
	case b.resource.CRD != nil:
	case kind.Kind == b.resource.Storage.Kind:
		if printed, err = b.convert.Convert(object, b.resource.Storage); err != nil {
			return err
		}
	default: // a subresource, such as a scale
		b.show(kind)
	}
	row := metav1.TableRow{}
	if row.Cells, err = b.cells(printed, b.now); err != nil {
		return err
	}
	switch b.Include {
	case metav1.IncludeNone:
	case metav1.IncludeObject:
		row.Object.Object = object
	default:
		partial := meta.AsPartialObjectMetadata(m)
		partial.TypeMeta = metav1.TypeMeta{APIVersion: b.APIVersion, Kind: "PartialObjectMetadata"}
		row.Object.Object = partial
	}
	b.rows = append(b.rows, row)
	if b.ListMeta.ResourceVersion == "" {
		b.ListMeta.ResourceVersion = m.GetResourceVersion()
	}
	return nil
}

// Table returns the table of the added objects.
func (b *Builder) Table() *metav1.Table {
	rows := b.rows
	if rows == nil {
		rows = []metav1.TableRow{}
	}
	return &metav1.Table{
		TypeMeta: metav1.TypeMeta{APIVersion: b.APIVersion, Kind: "Table"}, ListMeta: b.ListMeta,
		ColumnDefinitions: b.columns, Rows: rows,
	}
}

var nameColumn = metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]}

func nameAndTime(object runtime.Object, _ time.Time) ([]any, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	return []any{m.GetName(), m.GetCreationTimestamp().UTC().Format(time.RFC3339)}, nil
}
