package table

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

// A printer shows the objects of a kind.
type printer struct {
	columns []metav1.TableColumnDefinition
	cells   func(runtime.Object, time.Time) ([]any, error)
}

var printers = sync.OnceValue(func() map[schema.GroupKind]printer {
	return map[schema.GroupKind]printer{}
})

// age is for how long there has been something.
func age(since metav1.Time, now time.Time) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(since.Time))
}
