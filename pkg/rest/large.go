package rest

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// fits refuses to store an object that is too large for etcd (PL-34). replaced is nil if the object is new.
func (x *exchange) fits(stored, replaced runtime.Object) error {
	put := change.Put{Object: stored, Resource: x.req.Resource.GroupResource(), Creates: x.req.Verb == Create && replaced == nil}
	if of, ok := x.server.Resources.ForKind(stored.GetObjectKind().GroupVersionKind()); ok {
		put.Resource = of.GroupResource() // a binding writes a pod
	}
	if replaced != nil {
		m, err := meta.Accessor(replaced)
		if err != nil {
			return err
		}
		put.Revision, _ = versionOf(m) // that of an object in a file may be anything
	}
	message, err := put.Refusal(x.server.Types)
	if err != nil || message == "" {
		return err
	}
	refused := refuseWith(admission.StatusOf(errors.New(message)))
	refused.tooLarge = true
	return refused
}

// tooLarge returns the words with which [exchange.fits] refused to store an object, if that is what err is.
func tooLarge(err error) (words error, ok bool) {
	var refused *refusal
	if !errors.As(err, &refused) || !refused.tooLarge {
		return nil, false
	}
	status, ok := refused.body.(*metav1.Status)
	if !ok {
		return nil, false
	}
	return errors.New(status.Message), true
}

// dropsOwners reports whether the write that ended with err is tried again without managedFields (PL-34).
func (x *exchange) dropsOwners(err error) bool {
	if _, ok := tooLarge(err); !ok || x.ownerless || !x.server.release().Has(kubeversion.LargeWritesWithoutOwners) {
		return false
	}
	x.ownerless = true
	x.serverStep(trace.Step{Plugin: "storage", Outcome: trace.Skipped, Because: "the object is too large for etcd: it is written again without managedFields"})
	return true
}
