package rest

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// A refusal is an answer that ends a request. Any other error is admsim's own.
type refusal struct {
	code int
	body runtime.Object // a *metav1.Status, or a text

	by           *trace.Step // the step that refused; nil if none did
	tooLarge     bool        // for etcd
	unreadable   bool        // the object cannot be read
	alternatives alternatives
	patchFault   string // see [Response]
}

// ends records that the request ends with the refusal that err is. It returns nil if err is none.
func (x *exchange) ends(err error) *refusal {
	refused := (*refusal)(nil)
	if errors.As(err, &refused) {
		x.deniedBy, x.alternatives, x.patchFault = refused.by, refused.alternatives, refused.patchFault
	}
	return refused
}

func (r *refusal) Error() string { return fmt.Sprintf("refused with %d: %v", r.code, r.body) }

// is reports whether a function for errors, such as [apierrors.IsNotFound], accepts the refusal.
func (r *refusal) is(matches func(error) bool) bool { return isError(r.body, matches) }

func isError(body runtime.Object, matches func(error) bool) bool {
	status, ok := body.(*metav1.Status)
	return ok && matches(&apierrors.StatusError{ErrStatus: *status})
}

// refuse answers with an error of the server. A missing converter is not such an error: it says nothing about what the
// server would do.
func refuse(err error) error {
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	refused := refuseWith(admission.StatusOf(err))
	if patch, ok := errors.AsType[*change.PatchError](err); ok {
		refused.patchFault = patch.Fault
	}
	return refused
}

// refuseServers refuses with an error that has a status, as those of the server have. Others are admsim's own.
func refuseServers(err error) error {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return refuse(err)
	}
	return err
}

// withStatus returns an error of the server with its status. A missing converter is not such an error, as for [refuse].
func withStatus(err error) error {
	if err == nil || errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	return &apierrors.StatusError{ErrStatus: *admission.StatusOf(err)}
}

func refuseWith(s *metav1.Status) *refusal { return &refusal{code: httpCode(s), body: s} }

// instead replaces a refusal, and its alternatives, with the error that by makes of its message. It returns other errors
// as they are.
func instead(err error, by func(message string) error) error {
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	replace := func(s *metav1.Status) *metav1.Status { return admission.StatusOf(by(s.Message)) }
	status, ok := refused.body.(*metav1.Status)
	if !ok {
		return err
	}
	other := refuseWith(replace(status))
	other.by, other.alternatives = refused.by, refused.alternatives.with(replace)
	return other
}

// httpCode returns the code that the server writes for a status. Codes of 1000 and more do not fit into an answer
// (W-180).
func httpCode(s *metav1.Status) int {
	if s.Code >= 1000 {
		return 500
	}
	return int(s.Code)
}

// text is the body of an answer that is not an object.
type text string

func (t text) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

func (t text) DeepCopyObject() runtime.Object { return t }

// A bareStatus is the body of an answer that does not say what it is: a status without kind and apiVersion.
type bareStatus struct{ *metav1.Status }

// plain refuses with an error that carries no status: a 500 without a reason (ER-04).
func plain(format string, args ...any) error { return refuse(fmt.Errorf(format, args...)) }

func badRequest(format string, args ...any) error {
	return refuse(apierrors.NewBadRequest(fmt.Sprintf(format, args...)))
}
