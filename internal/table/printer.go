package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

// A printer shows the objects of a kind.
type printer struct {
	columns []metav1.TableColumnDefinition
	cells   func(runtime.Object, time.Time) ([]any, error)
}

// printers holds the printers of all kinds with columns of their own, in the version that the cluster stores.
var printers = sync.OnceValue(func() map[schema.GroupKind]printer {
	all := map[schema.GroupKind]printer{}
	for _, group := range []map[schema.GroupKind]printer{corePrinters(), workloadPrinters(), policyPrinters(), otherPrinters(), resourcePrinters(), evictionPrinters(), rarePrinters()} {
		maps.Copy(all, group)
	}
	return all
})

// A row returns the cells of one object, including those for wide output, which clients hide by default.
type row[T runtime.Object] func(object T, now time.Time) []any

// newPrinter returns the printer of a kind. columns lists the names of the columns, followed by :integer, :boolean or
// :date for types other than string, and preceded by + for wide output.
func newPrinter[T runtime.Object](columns string, cells row[T]) printer {
	p := printer{cells: func(object runtime.Object, now time.Time) ([]any, error) {
		typed, ok := object.(T)
		if ok {
			return cells(typed, now), nil
		}
		typed, err := convertByJSON[T](object)
		if err != nil {
			return nil, err
		}
		return cells(typed, now), nil
	}}
	for name := range strings.SplitSeq(columns, ", ") {
		column := metav1.TableColumnDefinition{Type: "string"}
		if wide, ok := strings.CutPrefix(name, "+"); ok {
			name, column.Priority = wide, 1
		}
		var typed bool
		if column.Name, column.Type, typed = strings.Cut(name, ":"); !typed {
			column.Type = "string"
		}
		switch column.Name {
		case "Name":
			column.Format, column.Description = nameColumn.Format, nameColumn.Description
		case "Age", "Created At":
			column.Description = metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]
		}
		p.columns = append(p.columns, column)
	}
	return p
}

// convertByJSON converts an object of another version, which some releases store, to the version T of its kind. The
// fields that columns show have the same names in both versions. Fields of a different type are omitted.
func convertByJSON[T runtime.Object](object runtime.Object) (typed T, err error) {
	typed = reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	data, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(data, typed)
	}
	if differs := (*json.UnmarshalTypeError)(nil); errors.As(err, &differs) {
		return typed, nil
	}
	return typed, err
}

func core(kind string) schema.GroupKind { return schema.GroupKind{Kind: kind} }

// age returns how long ago something was created.
func age(since metav1.Time, now time.Time) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(since.Time))
}

func orNone(text string) string { return cmp.Or(text, "<none>") }

// containers returns the names and images of the containers of a template.
func containers(list []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range list {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

func replicas(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

func selector(set map[string]string) string { return labels.FormatLabels(set) }

// firstThree joins the first three names and counts the others.
func firstThree(all []string, none string) string {
	const limit = 3
	switch {
	case len(all) == 0:
		return none
	case len(all) > limit:
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:limit], ","), len(all)-limit)
	}
	return strings.Join(all, ",")
}

// sortedJoin sorts and joins texts, without duplicates.
func sortedJoin(all []string) string {
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}
