package plugin

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// Namespaces is the resource that most plugins look up.
var Namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// rememberedFor is how long plugins remember what they looked up: liveTTL in
// kubernetes/kubernetes:plugin/pkg/admission/limitranger/admission.go and
// kubernetes/apiserver:pkg/admission/plugin/resourcequota/resource_access.go, forceLiveLookupTTL in
// kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go.
const rememberedFor = 30 * time.Second

// LookUpAll records that the server asks itself for the objects of a resource in the namespace of the request, because
// its caches have none.
func LookUpAll(step *trace.Step, req admission.Request, resource schema.GroupVersionResource) {
	step.Send(req.Elapsed, trace.Sent{
		Verb: "list", Resource: resource, Namespace: req.Namespace, Code: http.StatusOK, Remembered: rememberedFor,
	})
}

// Lately is a set of names that a plugin remembers for half a minute. It is empty at first.
type Lately struct{ until Recent[time.Time] }

// mostLately is how many names are remembered: NewLRUExpireCacheWithClock in
// kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go.
const mostLately = 100

// MayBeLost says that requests at the same time may overwrite what the others remember.
func (Lately) MayBeLost() {}

// Has reports whether the set still has a name.
func (l Lately) Has(name string, now time.Time) bool {
	if l.until == nil {
		return false
	}
	until, ok := l.until.Get(name)
	return ok && !now.After(until)
}

// With returns the set with another name.
func (l Lately) With(name string, now time.Time) Lately {
	if l.until == nil {
		l.until = NewRecent[time.Time](mostLately)
	}
	return Lately{l.until.With(name, now.Add(rememberedFor))}
}
