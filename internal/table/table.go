// Package table shows objects as rows: the server produces what kubectl get prints. Built-in kinds have the columns
// that kubectl users know, custom resources those of their definitions.
//
// Start with [New] and [Builder.Add]. The columns of the kinds are in the other files of this package, which are named
// after API groups. They follow kubernetes/kubernetes:pkg/printers/internalversion/printers.go.
package table

import (
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
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
	OfList     bool                       // the objects are those of a list

	// Stored returns an object of the table as the cluster keeps it; nil if that is not known.
	Stored func(object runtime.Object) runtime.Object

	resource discovery.Resource
	convert  converter
	now      moment
	columns  []metav1.TableColumnDefinition
	cells    func(runtime.Object, moment) ([]any, error)
	rows     []metav1.TableRow

	defaultClass *storagev1.StorageClass // the newest default in a list
	defaultRow   int
}

// A moment is when objects are shown, and by which release.
type moment struct {
	time.Time
	release *kubeversion.Release
}

// New returns an empty table of objects of a resource as a release shows them, with ages relative to now.
func New(resource discovery.Resource, convert converter, release *kubeversion.Release, now time.Time) *Builder {
	b := &Builder{resource: resource, convert: convert, now: moment{now, release}, Stored: func(runtime.Object) runtime.Object { return nil }}
	if resource.CRD != nil {
		b.rows = []metav1.TableRow{}
		b.columns, b.cells = custom(customColumns(resource, release), release)
		return b
	}
	// Without rows, the tables of definitions and of kinds without columns of their own have null instead of a list:
	// kubernetes/apiserver:pkg/registry/rest/table.go.
	if own := b.show(resource.Storage); own && resource.Storage.Group != apiextensionsv1.GroupName {
		b.rows = []metav1.TableRow{}
	}
	return b
}

// show selects the columns of a built-in kind. own reports whether they are its own, not those of any kind.
func (b *Builder) show(kind schema.GroupVersionKind) (own bool) {
	if b.columns = columnsOf(kind.GroupKind(), b.now.release); len(b.columns) == 0 {
		b.columns = []metav1.TableColumnDefinition{nameColumn(b.now.release), createdAt(b.now.release)}
		b.cells = nameAndTime
		return false
	}
	p, ok := formerPrinters()[kind]
	if !ok {
		p = printers()[kind.GroupKind()]
	}
	b.cells = p.only(b.columns)
	return true
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
		if _, ok := object.(*autoscalingv1.Scale); ok && b.now.release.Has(kubeversion.TableSubresources) {
			b.columns, b.cells = custom(scaleColumns(b.resource, b.now.release), b.now.release)
		}
	case kind.Kind == b.resource.Storage.Kind:
		as := b.resource.Storage
		if as.Kind == "HorizontalPodAutoscaler" { // v1 has most of its metrics in an annotation, in another order (CV-04)
			as.Version = autoscalingv2.SchemeGroupVersion.Version
			if stored := b.Stored(object); stored != nil {
				printed = stored
			}
		}
		if printed, err = b.convert.Convert(printed, as); err != nil {
			return err
		}
	default: // a subresource, such as a scale
		b.show(kind)
	}
	row := metav1.TableRow{Conditions: completed(printed)}
	if row.Cells, err = b.cells(printed, b.now); err != nil {
		return err
	}
	switch b.Include {
	case metav1.IncludeNone:
	case metav1.IncludeObject:
		row.Object.Object = object
	default:
		partial, err := Metadata(object, b.convert)
		if err != nil {
			return err
		}
		partial.TypeMeta = metav1.TypeMeta{APIVersion: b.APIVersion, Kind: "PartialObjectMetadata"}
		row.Object.Object = partial
	}
	if class, ok := printed.(*storagev1.StorageClass); ok && b.OfList && isNewerDefault(class, b.defaultClass) {
		b.defaultClass, b.defaultRow = class, len(b.rows)
	}
	b.rows = append(b.rows, row)
	if b.ListMeta.ResourceVersion == "" {
		b.ListMeta.ResourceVersion = m.GetResourceVersion()
	}
	if !b.OfList {
		b.ListMeta.SelfLink = m.GetSelfLink()
	}
	return nil
}

// Table returns the table of the added objects.
func (b *Builder) Table() *metav1.Table {
	if b.defaultClass != nil && b.now.release.Has(kubeversion.TableEffectiveDefaultClass) {
		b.rows[b.defaultRow].Cells[0] = b.defaultClass.Name + defaultMark
	}
	return &metav1.Table{
		TypeMeta: metav1.TypeMeta{APIVersion: b.APIVersion, Kind: "Table"}, ListMeta: b.ListMeta,
		ColumnDefinitions: b.columns, Rows: b.rows,
	}
}

func nameAndTime(object runtime.Object, _ moment) ([]any, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	return []any{m.GetName(), m.GetCreationTimestamp().UTC().Format(time.RFC3339)}, nil
}
