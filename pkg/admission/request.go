// Package admission has the types that all other packages share: a [Request] to
// change something in the cluster, and the [Verdict] on it.
//
// It does not know how a verdict is reached, and it holds no rules but those that
// belong to the words themselves: what a request is called in an error message, which
// warnings a response has room for, which audit annotation wins.
package admission

import (
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Request is one thing that the admission chain is asked about. It is a value: who
// wants to change it takes a copy. The objects it points to are never changed in place,
// so that they can be shared, compared by identity and kept in a trace.
type Request struct {
	Operation   admissionv1.Operation
	Resource    schema.GroupVersionResource // of the URL
	Subresource string
	Kind        schema.GroupVersionKind // of the body, as served at that URL

	Namespace string
	Name      string // empty while a generated name is not known, and for deletecollection

	Object    runtime.Object // nil on DELETE
	OldObject runtime.Object // nil on CREATE and CONNECT
	Options   runtime.Object // CreateOptions, UpdateOptions, DeleteOptions; nil on CONNECT
	DryRun    bool

	User authenticationv1.UserInfo

	// Elapsed is for how long the request has been running, on the engine's own time;
	// Timeout is for how long it may (0: as long as it takes).
	Elapsed time.Duration
	Timeout time.Duration
}

// Remaining returns what is left of the request's time. Without a limit ok is false.
func (r Request) Remaining() (left time.Duration, ok bool) {
	if r.Timeout == 0 {
		return 0, false
	}
	return max(r.Timeout-r.Elapsed, 0), true
}

// ErrorName is what the server calls the object of r in an error (ER-01): the request's
// name, else the object's name, else its generateName, else Unknown.
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
