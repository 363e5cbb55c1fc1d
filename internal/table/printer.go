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

// printers are those of all kinds that have columns of their own, as the cluster stores them.
var printers = sync.OnceValue(func() map[schema.GroupKind]printer {
	all := map[schema.GroupKind]printer{}
	for _, group := range []map[schema.GroupKind]printer{corePrinters(), workloadPrinters(), policyPrinters(), otherPrinters(), resourcePrinters(), evictionPrinters(), rarePrinters()} {
		maps.Copy(all, group)
	}
	return all
})

// A row makes the cells of one object. All have columns for wide output: clients leave them out.
type row[T runtime.Object] func(object T, now time.Time) []any

// of is the printer of a kind. columns are the names of the columns, with :integer, :boolean or :date where they are no
// texts, and + in front of those for wide output.
func of[T runtime.Object](columns string, cells row[T]) printer {
	p := printer{cells: func(object runtime.Object, now time.Time) ([]any, error) {
		typed, ok := object.(T)
		if ok {
			return cells(typed, now), nil
		}
		typed, err := reread[T](object)
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

// reread is an object of another version of the kind of T, which some releases store: what columns show has the same
// name in both, and what is of another type is left out.
func reread[T runtime.Object](object runtime.Object) (typed T, err error) {
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

// age is for how long there has been something.
func age(since metav1.Time, now time.Time) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(since.Time))
}

func orNone(text string) string { return cmp.Or(text, "<none>") }

// containers are the names and the images of a template.
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

func selector(of map[string]string) string { return labels.FormatLabels(of) }

// some are the first three of many.
func some(all []string, none string) string {
	const most = 3
	switch {
	case len(all) == 0:
		return none
	case len(all) > most:
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:most], ","), len(all)-most)
	}
	return strings.Join(all, ",")
}

// sortedJoin joins what is distinct.
func sortedJoin(all []string) string {
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}
