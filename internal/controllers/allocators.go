package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

const portRepairName = "portallocator-repair-controller"

// An allocator is what the server knows to be taken by services (PL-21f): their ports, or their addresses in releases without
// IPAddresses.
type allocator struct {
	recorder recorder
	ports    bool
	leaks    change.Leaks
}

func runPortRepairs(c *Controllers, ctx context.Context) {
	c.keepSeries(ctx, &c.portAllocator.recorder)
	c.rebuild(ctx, &c.portAllocator)
}

// rebuild repairs an allocator, now and again and again.
func (c *Controllers) rebuild(ctx context.Context, a *allocator) {
	c.rebuildOnce(ctx, a)
	c.later(ctx, repairEvery, func() { c.rebuild(ctx, a) })
}

func (c *Controllers) rebuildOnce(ctx context.Context, a *allocator) {
	c.checking.Lock()
	defer c.checking.Unlock()
	r := c.store.Latest().Release()
	var findings []change.Finding
	var leaks change.Leaks
	err := c.store.Write(func(sim *simulator.Simulator) (next *cluster.State, err error) {
		s := sim.State()
		repair := change.Repair{Ports: a.ports, Release: r, Ranges: bootstrap.ServiceRanges(s, r), Leaks: a.leaks}
		next, findings, leaks = repair.Do(s, objects.Cached(s, r))
		return next, nil
	})
	if err != nil {
		c.failed(fmt.Errorf("%s: %w", a.recorder.controller, err))
		return
	}
	a.leaks = leaks
	for _, f := range findings {
		reason, action, note := addressEvent(f, r)
		if a.ports {
			reason, action, note = portEvent(f)
		}
		c.recordEvent(ctx, &a.recorder, referenceTo(corev1.SchemeGroupVersion.WithKind("Service"), f.Service), reason, action, note)
	}
}

// addressEvent returns the event about an address.
func addressEvent(f change.Finding, r *kubeversion.Release) (reason, action, note string) {
	const allocation, validation = "ClusterIPAllocation", "ClusterIPValidation"
	address := f.Text
	if r.Has(kubeversion.ServiceFamilies) {
		address = fmt.Sprintf("[%v]:%s", f.Family, f.Text)
	}
	switch f.Fault {
	case change.Unallocated:
		return "ClusterIPNotAllocated", allocation, fmt.Sprintf("Cluster IP %s is not allocated; repairing", address)
	case change.AllocatedTwice:
		return "ClusterIPAlreadyAllocated", allocation, fmt.Sprintf("Cluster IP %s was assigned to multiple services; please recreate service", address)
	case change.OutOfRange:
		return "ClusterIPOutOfRange", allocation, fmt.Sprintf("Cluster IP %s is not within the service CIDR %s; please recreate service", address, f.Range)
	case change.OtherFamily:
		return "ClusterIPNotValid", validation, fmt.Sprintf("Cluster IP %s(%s) is of ip family that is no longer configured on cluster; please recreate service", f.Text, f.Family)
	}
	if r.Has(kubeversion.ServiceFamilies) { // the text is lost
		f.Text = "<nil>"
	}
	return "ClusterIPNotValid", validation, fmt.Sprintf("Cluster IP %s is not a valid IP; please recreate service", f.Text)
}

// portEvent returns the event about a port.
func portEvent(f change.Finding) (reason, action, note string) {
	switch reason, note = "PortNotAllocated", "Port %s is not allocated; repairing"; f.Fault {
	case change.AllocatedTwice:
		reason, note = "PortAlreadyAllocated", "Port %s was assigned to multiple services; please recreate service"
	case change.OutOfRange:
		reason, note = "PortOutOfRange", "Port %s is not within the port range "+f.Range+"; please recreate service"
	}
	return reason, "PortAllocation", fmt.Sprintf(note, f.Text)
}
