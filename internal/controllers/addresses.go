package controllers

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// How the server repairs IPAddresses (PL-08g): kubernetes/kubernetes:pkg/registry/core/service/ipallocator/controller/repairip.go.
// It checks a service or an IPAddress when it is written, and all of them every three minutes.
const (
	repairName  = "ipallocator-repair-controller"
	repairEvery = 3 * time.Minute

	leakedAfter = time.Minute     // an IPAddress may be older than its service by this much
	wrongAfter  = 5 * time.Second // the allocation of a new IPAddress may still be reverted

	mostRetries = 15
	firstRetry  = 5 * time.Millisecond // the next ones each wait twice as long
)

var serviceKind, addressKind = schema.GroupKind{Kind: "Service"}, networkingv1.SchemeGroupVersion.WithKind("IPAddress").GroupKind()

// repairs are the services and IPAddresses that have to be checked again.
type repairs struct {
	retries map[cluster.Key]int

	mutex sync.Mutex
	due   map[cluster.Key]time.Time
}

func newRepairs() repairs {
	return repairs{retries: map[cluster.Key]int{}, due: map[cluster.Key]time.Time{}}
}

// repairWritten checks the service or the IPAddress that was written.
func repairWritten(c *Controllers, ctx context.Context, e *store.Event) {
	if e.GroupKind == serviceKind || e.GroupKind == addressKind {
		c.checkAddressesOf(ctx, e.Key)
	}
}

// runRepairs starts what the controller does without a write.
func runRepairs(c *Controllers, ctx context.Context) {
	c.keepSeries(ctx, &c.addressAllocator.recorder)
	if c.store.Latest().Release().Has(kubeversion.AddressObjects) {
		repairRegularly(c, ctx)
	} else {
		c.rebuild(ctx, &c.addressAllocator)
	}
}

// repairRegularly checks all services and IPAddresses, now and again and again.
func repairRegularly(c *Controllers, ctx context.Context) {
	state := c.store.Latest().State()
	for _, kind := range []schema.GroupKind{serviceKind, addressKind} {
		for o := range state.List(kind, "") {
			c.checkAddressesOf(ctx, cluster.KeyOf(o.Object))
		}
	}
	c.later(ctx, repairEvery, func() { repairRegularly(c, ctx) })
}

// checkAddressesOf checks a service or an IPAddress. If the server refuses to repair it, it is checked again soon.
func (c *Controllers) checkAddressesOf(ctx context.Context, k cluster.Key) {
	r := &c.repairs
	if ctx.Err() != nil || !c.store.Latest().Release().Has(kubeversion.AddressObjects) {
		return
	}
	c.checking.Lock()
	defer c.checking.Unlock()
	check := c.checkAddress
	if k.GroupKind == serviceKind {
		check = c.checkService
	}
	err := check(ctx, k)
	if err == nil {
		delete(r.retries, k)
		return
	}
	n := r.retries[k]
	if n == mostRetries {
		delete(r.retries, k)
		c.failed(fmt.Errorf("%s: %w", repairName, err))
		return
	}
	r.retries[k]++
	c.checkLater(ctx, k, firstRetry<<n)
}

// checkLater checks a service or an IPAddress again after some time, unless that happens sooner anyway.
func (c *Controllers) checkLater(ctx context.Context, k cluster.Key, after time.Duration) {
	r, at := &c.repairs, time.Now().Add(after)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if due, waits := r.due[k]; waits && !at.Before(due) {
		return
	}
	r.due[k] = at
	c.later(ctx, after, func() {
		r.mutex.Lock()
		superseded := !r.due[k].Equal(at)
		if !superseded {
			delete(r.due, k)
		}
		r.mutex.Unlock()
		if !superseded {
			c.checkAddressesOf(ctx, k)
		}
	})
}

// checkService gives a service the IPAddresses that it lacks, and replaces those that are not as they should be. Events about
// that are written last, since the server does not wait for them.
func (c *Controllers) checkService(ctx context.Context, k cluster.Key) error {
	sim := c.store.Latest()
	state := sim.State()
	s, ok := cluster.Get[*corev1.Service](state, k.GroupKind, k.Namespace, k.Name)
	if !ok || s.Spec.ClusterIP == "" || s.Spec.ClusterIP == corev1.ClusterIPNone {
		return nil
	}
	var events []func()
	about := func(reason, action, note string) {
		events = append(events, func() {
			c.recordEvent(ctx, &c.addressAllocator.recorder, referenceTo(corev1.SchemeGroupVersion.WithKind("Service"), s), reason, action, note)
		})
	}
	defer func() {
		for _, record := range events {
			record()
		}
	}()
	ranges := bootstrap.ServiceRanges(state, sim.Release())
	for _, text := range s.Spec.ClusterIPs {
		ip, ok := bootstrap.ParseAddress(text)
		if !ok {
			about("ClusterIPNotValid", "ClusterIPValidation", "Cluster IP <nil> is not a valid IP; please recreate Service")
			continue
		}
		wanted := inV1(sim, bootstrap.IPAddress(s, ip, sim.Release()))
		family := wanted.Labels[networkingv1.LabelIPAddressFamily]
		if !ranges.Allow(ip) {
			about(outOfRange(ranges, ip, sim.Release()))
			continue
		}
		found := c.findAddress(sim, wanted.Name)
		if found == nil {
			about("ClusterIPNotAllocated", "ClusterIPAllocation", fmt.Sprintf("Cluster IP [%v]: %s is not allocated; repairing", family, ip))
			if err := c.createAddress(ctx, s, ip); err != nil {
				return err
			}
			continue
		}
		other, refers := c.serviceOf(state, found)
		isWrong := !refersToService(found) || !refers
		switch {
		case isWrong:
			about("ClusterIPNotAllocated", "ClusterIPAllocation", fmt.Sprintf("the ClusterIP [%v]: %s for Service %s/%s has a wrong reference; repairing", family, ip, s.Namespace, s.Name))
		case (other.Namespace != s.Namespace || other.Name != s.Name) && slices.Contains(other.Spec.ClusterIPs, found.Name):
			shown := family
			if !sim.Release().Has(kubeversion.ServiceRangesVary) {
				shown = strings.TrimPrefix(family, "IPv")
			}
			about("ClusterIPAlreadyAllocated", "ClusterIPAllocation", fmt.Sprintf("Cluster IP [%v]:%s was assigned to multiple services; please recreate service", shown, ip))
		}
		if isWrong || !isLabelled(found, wanted) {
			if err := c.deleteAddress(ctx, found.Name); err != nil {
				return err
			}
			if err := c.createAddress(ctx, s, ip); err != nil {
				return err
			}
		}
	}
	return nil
}

// outOfRange returns the reason, the action and the note of the event about an address outside of the ranges.
func outOfRange(ranges bootstrap.Ranges, ip netip.Addr, r *kubeversion.Release) (reason, action, note string) {
	const allocation = "ClusterIPAllocation"
	reason, family := "ClusterIPOutOfRange", bootstrap.FamilyOf(ip)
	if r.Has(kubeversion.ServiceRangesVary) {
		return reason, allocation, fmt.Sprintf("Cluster IP [%v]: %s is not within any configured Service CIDR; please recreate service", family, ip)
	}
	for _, one := range ranges {
		if bootstrap.FamilyOf(one.Addr()) == family {
			return reason, allocation, fmt.Sprintf("Cluster IP [%v]: %s is not within the configured Service CIDR %s; please recreate service", family, ip, one)
		}
	}
	return "ClusterIPNotValid", "ClusterIPValidation", fmt.Sprintf("Cluster IP %s(%s) is of ip family that is no longer configured on cluster; please recreate Service", ip, family)
}

func refersToService(a *networkingv1.IPAddress) bool {
	to := a.Spec.ParentRef
	return to != nil && to.Group == "" && to.Resource == "services"
}

// serviceOf returns the service that an IPAddress refers to, if it exists.
func (c *Controllers) serviceOf(state *cluster.State, a *networkingv1.IPAddress) (*corev1.Service, bool) {
	if a.Spec.ParentRef == nil {
		return nil, false
	}
	return cluster.Get[*corev1.Service](state, serviceKind, a.Spec.ParentRef.Namespace, a.Spec.ParentRef.Name)
}

// isLabelled reports whether an IPAddress has the labels that the server gives it.
func isLabelled(a, wanted *networkingv1.IPAddress) bool {
	for key, value := range wanted.Labels {
		if a.Labels[key] != value {
			return false
		}
	}
	return true
}

// checkAddress deletes an IPAddress that the server made for a service which does not have this address.
func (c *Controllers) checkAddress(ctx context.Context, k cluster.Key) error {
	sim := c.store.Latest()
	a := c.findAddress(sim, k.Name)
	if a == nil || a.Labels[networkingv1.LabelManagedBy] != bootstrap.AddressManager {
		return nil
	}
	about := func(reason, format string, args ...any) {
		kind := bootstrap.AddressVersion(sim.Release()).WithKind(addressKind.Kind)
		c.recordEvent(ctx, &c.addressAllocator.recorder, referenceTo(kind, a), reason, "IPAddressAllocation", fmt.Sprintf(format, args...))
	}
	age := time.Since(a.CreationTimestamp.Time)
	s, exists := c.serviceOf(sim.State(), a)
	switch {
	case !refersToService(a):
		defer about("IPAddressNotAllocated", "IPAddress %s appears to have been modified, not referencing a Service %s: cleaning up", a.Name, bootstrap.ParentText(a, sim.Release()))
	case !exists && age <= leakedAfter:
		c.checkLater(ctx, k, leakedAfter-age+1)
		return nil
	case !exists:
		defer about("IPAddressNotAllocated", "IPAddress: %s for Service %s/%s appears to have leaked: cleaning up", a.Name, a.Spec.ParentRef.Namespace, a.Spec.ParentRef.Name)
	case slices.Contains(s.Spec.ClusterIPs, a.Name):
		return nil
	case s.Spec.Type == corev1.ServiceTypeExternalName && age < leakedAfter && sim.Release().Has(kubeversion.ExternalNamesGetAddresses):
		c.checkLater(ctx, k, leakedAfter-age)
		return nil
	case a.CreationTimestamp.After(s.CreationTimestamp.Time) && age < wrongAfter && sim.Release().Has(kubeversion.AllocationsReverted):
		c.checkLater(ctx, k, wrongAfter)
		return nil
	default:
		defer about("IPAddressWrongReference", "IPAddress: %s for Service %s/%s has a wrong reference; cleaning up", a.Name, s.Namespace, s.Name)
	}
	return c.deleteAddress(ctx, a.Name)
}

// findAddress returns an IPAddress of the cluster, nil if it does not exist.
func (c *Controllers) findAddress(sim *simulator.Simulator, name string) *networkingv1.IPAddress {
	found, ok := sim.State().Find(cluster.Key{GroupKind: addressKind, Name: name})
	if !ok {
		return nil
	}
	return inV1(sim, found.Object)
}

// inV1 returns an IPAddress of any version as v1.
func inV1(sim *simulator.Simulator, a runtime.Object) *networkingv1.IPAddress {
	v1, _ := sim.View().Types().InV1(a, addressKind).(*networkingv1.IPAddress)
	return v1
}

func (c *Controllers) createAddress(ctx context.Context, s *corev1.Service, ip netip.Addr) error {
	sim := c.store.Latest()
	body, err := sim.View().Types().Encode(bootstrap.IPAddress(s, ip, sim.Release()))
	if err != nil {
		return err
	}
	return c.sendByServer(ctx, rest.Request{Verb: rest.Create, Resource: c.addresses(), Body: body})
}

// addresses returns the resource of the IPAddresses that the server writes.
func (c *Controllers) addresses() schema.GroupVersionResource {
	return bootstrap.AddressVersion(c.store.Latest().Release()).WithResource("ipaddresses")
}

// deleteAddress deletes an IPAddress. It is no failure if somebody else did so.
func (c *Controllers) deleteAddress(ctx context.Context, name string) error {
	return c.sendByServer(ctx, rest.Request{Verb: rest.Delete, Resource: c.addresses(), Name: name})
}

// sendByServer sends a request of the server to itself. The error says why it was refused.
func (c *Controllers) sendByServer(ctx context.Context, req rest.Request) error {
	result, err := c.send(ctx, req.ByServer())
	switch {
	case err != nil:
		return err
	case result.Code < http.StatusBadRequest || req.Verb == rest.Delete && result.Code == http.StatusNotFound:
		return nil
	}
	return fmt.Errorf("could not %s %s: %s", req.Verb, req.Path(), result.Status().Message)
}
