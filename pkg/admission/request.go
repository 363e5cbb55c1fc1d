// Package admission has the types that all other packages share: a [Request] to change something in the cluster, and
// the [Verdict] on it.
//
// The package does not know how a verdict is reached. Its only rules are those of the types themselves: the name of a
// request in an error message, which warnings fit into a response, which audit annotation wins.
package admission

import (
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Request is what the admission chain decides about. It is a value: to change it, copy it. The objects that it points
// to are never changed in place, so they can be shared, compared by identity and kept in a trace.
type Request struct {
	Operation   admissionv1.Operation
	Resource    schema.GroupVersionResource // of the URL
	Subresource string
	Kind        schema.GroupVersionKind // of the body, as served at that URL

	Namespace string
	Name      string // empty until a generated name is known, and for deletecollection

	Object    runtime.Object // nil on DELETE
	OldObject runtime.Object // nil on CREATE and CONNECT
	Options   runtime.Object // CreateOptions, UpdateOptions, DeleteOptions; nil on CONNECT
	DryRun    bool

	User authenticationv1.UserInfo

	// Elapsed is how long the request has been running, by the simulated clock. Timeout is how long it may run; 0:
	// without a limit.
	Elapsed time.Duration
	Timeout time.Duration

	// Earlier counts the calls that each webhook of the phase received in earlier admissions of the same API request,
	// such as those of other objects of a deletecollection. Keys are IDs of hooks. Nil: none.
	Earlier map[string]int
}

// Remaining returns how much time the request has left. ok is false if the request has no limit.
func (r Request) Remaining() (left time.Duration, ok bool) {
	if r.Timeout == 0 {
		return 0, false
	}
	return max(r.Timeout-r.Elapsed, 0), true
}

// ErrorName returns what the server calls the object in an error (ER-01): the name of the
// request, else the object's name, else its generateName, else Unknown.
func (r Request) ErrorName() string {
	if r.Name != "" {
		return r.Name
	}
	if r.Object == nil {
		return "Unknown"
	}
	m, err := meta.Accessor(r.Object)
	switch {
	case err != nil:
		return "Unknown/errorGettingName"
	case m.GetName() != "":
		return m.GetName()
	case m.GetGenerateName() != "":
		return m.GetGenerateName()
	}
	return "Unknown"
}
