package rest

import (
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ComponentStatuses are not stored: the server probes the components at each request
// (pkg/registry/core/componentstatus). In a simulated cluster, neither a scheduler nor a controller manager runs, and
// etcd is healthy.

// probes reports whether the request is for ComponentStatuses.
func (x *exchange) probes() bool { return x.resource.Kind == componentStatusKind }

var componentStatusKind = corev1.SchemeGroupVersion.WithKind("ComponentStatus")

// component returns the ComponentStatus of a component.
func (x *exchange) component(name string) (runtime.Object, error) {
	for _, c := range x.components() {
		if c.Name == name {
			return c, nil
		}
	}
	if x.server.release().Has(kubeversion.MissingComponentsNotFound) {
		return nil, refuse(apierrors.NewNotFound(schema.GroupResource{Resource: "componentstatus"}, name))
	}
	return nil, refuse(errors.New("Component not found: " + name))
}

// selectedComponents returns the selected ComponentStatuses by name; the server returns them in any order.
func (x *exchange) selectedComponents(selected selectors.Selection) (items []runtime.Object, err error) {
	for _, c := range x.components() {
		ok, err := selected.Matches(c)
		if err != nil {
			return nil, err
		}
		if ok || !x.server.release().Has(kubeversion.ComponentsSelected) {
			items = append(items, c)
		}
	}
	return items, nil
}

// components returns all ComponentStatuses, by name.
func (x *exchange) components() []*corev1.ComponentStatus {
	r := x.server.release()
	manager := refusedProbe("http", "127.0.0.1:10252", r)
	scheduler := refusedProbe("http", "127.0.0.1:10251", r)
	etcd := "ok"
	if r.Has(kubeversion.ControllerManagersProbedByTLS) {
		manager = refusedProbe("https", "127.0.0.1:10257", r)
	}
	if r.Has(kubeversion.SchedulersProbedByTLS) {
		scheduler = refusedProbe("https", "127.0.0.1:10259", r)
	}
	switch {
	case !r.Has(kubeversion.EtcdProbedAsStorage):
		etcd = `{"health":"true"}` // the answer of etcd itself, up to 3.4
	case !r.Has(kubeversion.EtcdProbesSayOK):
		etcd = ""
	}
	return []*corev1.ComponentStatus{
		componentStatus("controller-manager", corev1.ConditionFalse, manager),
		componentStatus("etcd-0", corev1.ConditionTrue, etcd),
		componentStatus("scheduler", corev1.ConditionFalse, scheduler),
	}
}

func componentStatus(name string, healthy corev1.ConditionStatus, message string) *corev1.ComponentStatus {
	c := &corev1.ComponentStatus{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Conditions: []corev1.ComponentCondition{{Type: corev1.ComponentHealthy, Status: healthy, Message: message}},
	}
	c.SetGroupVersionKind(componentStatusKind)
	return c
}

// refusedProbe returns the error of an HTTP client when nothing listens at the address.
func refusedProbe(scheme, address string, r *kubeversion.Release) string {
	url := scheme + "://" + address + "/healthz"
	if r.Has(kubeversion.QuotedURLs) {
		url = strconv.Quote(url)
	}
	return fmt.Sprintf("Get %s: dial tcp %s: connect: connection refused", url, address)
}
