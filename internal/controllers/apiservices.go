package controllers

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

var (
	apiService    = schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}
	service       = schema.GroupKind{Kind: "Service"}
	endpoints     = schema.GroupKind{Kind: "Endpoints"}
	endpointSlice = schema.GroupKind{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}
)

// available is the type of the condition of APIServices.
const available = "Available"

// checkAPIServices writes into the status of APIServices whether they are available, when one of them is written, or
// something that they depend on.
func checkAPIServices(c *Controllers, ctx context.Context, e *store.Event) {
	if !slices.Contains([]schema.GroupKind{apiService, service, endpoints, endpointSlice}, e.GroupKind) {
		return
	}
	for _, checked := range checkedAPIServices(c.store.Latest()) {
		c.patch(ctx, rest.Request{}.ByServer(), cluster.KeyOf(checked), "status", map[string]any{"status": checked.Status})
	}
}

// availableAPIServices returns the cluster with all initial APIServices checked.
func availableAPIServices(sim *simulator.Simulator) (*cluster.State, error) {
	state := sim.State()
	for _, checked := range checkedAPIServices(sim) {
		o, _ := state.Find(cluster.KeyOf(checked))
		state = state.With(o.Replaced(checked))
	}
	return state, nil
}

// checkedAPIServices returns those APIServices whose condition changes.
func checkedAPIServices(sim *simulator.Simulator) (changed []*builtin.APIService) {
	for o := range cachedOf(sim).List(apiService, "") {
		old, ok := o.Object.(*builtin.APIService)
		if !ok {
			continue
		}
		now := availability(sim, old)
		i := slices.IndexFunc(old.Status.Conditions, func(c builtin.APIServiceCondition) bool { return c.Type == available })
		next := old.DeepCopy()
		if i < 0 {
			next.Status.Conditions = append(next.Status.Conditions, now)
			changed = append(changed, next)
			continue
		}
		if before := old.Status.Conditions[i]; before.Status == now.Status {
			now.LastTransitionTime = before.LastTransitionTime
		}
		if next.Status.Conditions[i] = now; now != old.Status.Conditions[i] {
			changed = append(changed, next)
		}
	}
	return changed
}

// availability says whether an APIService is available:
// kubernetes/kube-aggregator:pkg/controllers/status/remote/remote_available_controller.go, and local_available_controller.go
// in the folder beside it. No server runs behind a service, so the last check always fails, as requests to it do.
func availability(sim *simulator.Simulator, of *builtin.APIService) builtin.APIServiceCondition {
	condition := func(status metav1.ConditionStatus, reason, format string, args ...any) builtin.APIServiceCondition {
		return builtin.APIServiceCondition{Type: available, Status: status, LastTransitionTime: metav1.Now().Rfc3339Copy(), Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	behind := of.Spec.Service
	if behind == nil {
		return condition(metav1.ConditionTrue, "Local", "Local APIServices are always available")
	}
	name := fmt.Sprintf("service/%s in %q", behind.Name, behind.Namespace)
	found, ok := cluster.Get[*corev1.Service](cachedOf(sim), service, behind.Namespace, behind.Name)
	if !ok {
		return condition(metav1.ConditionFalse, "ServiceNotFound", "%s is not present", name)
	}
	number := int32(443)
	if behind.Port != nil {
		number = *behind.Port
	}
	host := found.Spec.ClusterIP
	switch found.Spec.Type {
	case corev1.ServiceTypeExternalName:
		host = found.Spec.ExternalName
	case corev1.ServiceTypeClusterIP:
		i := slices.IndexFunc(found.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == number })
		if i < 0 {
			return condition(metav1.ConditionFalse, "ServicePortError", "%s is not listening on port %d", name, number)
		}
		kind, exist, ready := behindService(sim, behind, found.Spec.Ports[i].Name)
		switch {
		case !exist:
			return condition(metav1.ConditionFalse, "EndpointsNotFound", "cannot find %s for %s", kind, name)
		case !ready:
			return condition(metav1.ConditionFalse, "MissingEndpoints", "%s for %s have no addresses with port name %q", kind, name, found.Spec.Ports[i].Name)
		case host == corev1.ClusterIPNone:
			return condition(metav1.ConditionFalse, "FailedDiscoveryCheck", `cannot route to service with ClusterIP "None"`)
		}
	}
	url := "https://" + net.JoinHostPort(host, strconv.Itoa(int(number))) + "/apis/" + of.Spec.Group + "/" + of.Spec.Version
	return condition(metav1.ConditionFalse, "FailedDiscoveryCheck", "failing or missing response from %s: Get %q: context deadline exceeded", url, url)
}

// behindService reports whether a service has endpoints, and whether one of them is ready and has a port of that name.
// kind says what the endpoints are.
func behindService(sim *simulator.Simulator, of *builtin.ServiceReference, port string) (kind string, exist, ready bool) {
	if !sim.Release().Has(kubeversion.APIServicesBySlices) {
		found, ok := cluster.Get[*corev1.Endpoints](cachedOf(sim), endpoints, of.Namespace, of.Name)
		return "endpoints", ok, ok && slices.ContainsFunc(found.Subsets, func(s corev1.EndpointSubset) bool {
			return len(s.Addresses) > 0 && slices.ContainsFunc(s.Ports, func(p corev1.EndpointPort) bool { return p.Name == port })
		})
	}
	for o := range cachedOf(sim).List(endpointSlice, of.Namespace) {
		slice, ok := o.Object.(*discoveryv1.EndpointSlice)
		if !ok || slice.Labels[discoveryv1.LabelServiceName] != of.Name {
			continue
		}
		exist = true
		ready = ready || slices.ContainsFunc(slice.Endpoints, func(e discoveryv1.Endpoint) bool {
			return e.Conditions.Ready == nil || *e.Conditions.Ready
		}) && slices.ContainsFunc(slice.Ports, func(p discoveryv1.EndpointPort) bool {
			return p.Name != nil && *p.Name == port && p.Port != nil
		})
	}
	return "endpointslices", exist, ready
}
