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

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A printer shows the objects of a kind.
type printer struct {
	names []string // of the columns that any release has, for each cell
	cells func(runtime.Object, moment) ([]any, error)
}

// only returns the function for the cells of some columns. Cells beyond the names are in every row, although no column is
// theirs.
func (p printer) only(columns []metav1.TableColumnDefinition) func(runtime.Object, moment) ([]any, error) {
	return func(object runtime.Object, now moment) ([]any, error) {
		all, err := p.cells(object, now)
		if err != nil {
			return nil, err
		}
		cells := make([]any, 0, len(columns))
		for _, c := range columns {
			cells = append(cells, all[slices.Index(p.names, c.Name)])
		}
		return append(cells, all[len(p.names):]...), nil
	}
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
type row[T runtime.Object] func(object T, now moment) []any

// newPrinter returns the printer of a kind, with the names of the columns to which the cells belong.
func newPrinter[T runtime.Object](names string, cells row[T]) printer {
	return printer{names: strings.Split(names, ", "), cells: func(object runtime.Object, now moment) ([]any, error) {
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
func age(since metav1.Time, now moment) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return now.duration(now.Sub(since.Time))
}

// duration returns a duration in the words of the release.
func (m moment) duration(d time.Duration) string {
	if !m.release.Has(kubeversion.TableAgesExact) {
		return duration.ShortHumanDuration(d)
	}
	text := duration.HumanDuration(d)
	if d < 8*365*24*time.Hour && strings.HasSuffix(text, "y") && !m.release.Has(kubeversion.TableAgesWholeYears) {
		text += "0d"
	}
	return text
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
