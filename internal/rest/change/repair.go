package change

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Repair is one round of the controllers that compare the allocators with what services have (PL-21f):
// kubernetes/kubernetes:pkg/registry/core/service/ipallocator/controller/repair.go and its copy for ports,
// pkg/registry/core/service/portallocator/controller/repair.go.
type Repair struct {
	Ports   bool // those of ports; else those of addresses
	Release *kubeversion.Release
	Ranges  bootstrap.Ranges
	Leaks   Leaks // of the previous round
}

// Leaks are the addresses or ports that no service has, and how many more rounds they stay taken.
type Leaks map[unit]int

// roundsUntilFree is the number of the round that frees what no service has.
const roundsUntilFree = 3

// A Finding is what is wrong with an address or a port of a service.
type Finding struct {
	Service *corev1.Service
	Fault   Fault
	Text    string // the address or the port
	Family  corev1.IPFamily
	Range   string // in which it is not; empty: there is none
}

// A Fault is one of the things that can be wrong.
type Fault int

// The faults.
const (
	NotAnAddress   Fault = iota
	Unallocated          // free although the service has it, until this round
	AllocatedTwice       // an earlier service has it, too
	OutOfRange
	OtherFamily // no range has its IP family
)

// Do returns the state in which the allocators have what services have, apart from leaks, what is wrong with the services,
// and the leaks. Listed is the state with the services that a list shows.
func (r Repair) Do(s, listed *cluster.State) (*cluster.State, []Finding, Leaks) {
	var findings []Finding
	left, rebuilt, leaks := r.allocated(s), map[unit]bool{}, maps.Clone(r.Leaks)
	if leaks == nil {
		leaks = Leaks{}
	}
	for service := range servicesIn(listed) {
		for _, f := range r.unitsOf(service) {
			found := func(fault Fault) {
				findings = append(findings, Finding{Service: service, Fault: fault, Text: f.text, Family: bootstrap.FamilyOf(f.address), Range: r.rangeFor(f.unit)})
			}
			switch u := f.unit; {
			case u == unit{}:
				found(NotAnAddress)
			case !r.hasFamily(u):
				found(OtherFamily)
			case !r.contains(u):
				found(OutOfRange)
			case rebuilt[u]:
				found(AllocatedTwice)
			default:
				if !left[u] {
					found(Unallocated)
				}
				rebuilt[u] = true
				delete(left, u)
				delete(leaks, u)
			}
		}
	}
	for u := range left {
		rounds, known := leaks[u]
		if !known {
			rounds = roundsUntilFree - 1
		}
		if rounds > 0 {
			leaks[u], rebuilt[u] = rounds-1, true
		}
	}
	return r.rebuilt(s, rebuilt), findings, leaks
}

// allocated returns what the allocator knows to be taken.
func (r Repair) allocated(s *cluster.State) map[unit]bool {
	all := map[unit]bool{}
	for u := range takenIn(s) {
		if r.contains(u) {
			all[u] = true
		}
	}
	return all
}

// rebuilt returns the state whose allocator has the units.
func (r Repair) rebuilt(s *cluster.State, units map[unit]bool) *cluster.State {
	return changed(s, func(d differences) {
		maps.DeleteFunc(d.lost, func(h holding, _ bool) bool { return r.contains(h.unit) })
		maps.DeleteFunc(d.leaked, func(u unit, _ bool) bool { return r.contains(u) })
		leaked := maps.Clone(units)
		for service := range servicesIn(s) {
			for _, u := range unitsOf(service) {
				delete(leaked, u)
				if r.contains(u) && !units[u] {
					d.lost[held(service, u)] = true
				}
			}
		}
		maps.Copy(d.leaked, leaked)
	})
}

// A shownUnit is a unit as a service has it; the zero unit is none.
type shownUnit struct {
	unit
	text string
}

// unitsOf returns the units of a service that are compared.
func (r Repair) unitsOf(s *corev1.Service) (all []shownUnit) {
	if r.Ports {
		for _, port := range r.portsOf(s) {
			all = append(all, shownUnit{unit{port: port}, fmt.Sprint(port)})
		}
		return all
	}
	if s.Spec.ClusterIP == "" || s.Spec.ClusterIP == corev1.ClusterIPNone {
		return nil
	}
	texts := s.Spec.ClusterIPs
	if !r.Release.Has(kubeversion.ServiceFamilies) {
		texts = []string{s.Spec.ClusterIP}
	}
	for _, text := range texts {
		address, ok := bootstrap.ParseAddress(text)
		if ok {
			text = address.String()
		}
		all = append(all, shownUnit{unit{address: address}, text})
	}
	return all
}

// portsOf returns the node ports of a service. One that it has for several protocols is several ports up to 1.18.
func (r Repair) portsOf(s *corev1.Service) (all []int32) {
	type use struct {
		port     int32
		protocol corev1.Protocol
	}
	seen := map[use]bool{}
	add := func(port int32, protocol corev1.Protocol) {
		if port != 0 && (!r.Release.Has(kubeversion.PortsSharedByProtocols) || !slices.Contains(all, port) || seen[use{port, protocol}]) {
			all = append(all, port)
		}
		seen[use{port, protocol}] = true
	}
	for _, p := range s.Spec.Ports {
		add(p.NodePort, p.Protocol)
	}
	add(s.Spec.HealthCheckNodePort, corev1.ProtocolTCP)
	return all
}

// contains reports whether the allocator has a place for a unit.
func (r Repair) contains(u unit) bool {
	if r.Ports {
		return u.port >= firstPort && u.port <= lastPort
	}
	return u.port == 0 && r.Ranges.Allow(u.address)
}

// hasFamily reports whether the server looks for a unit in a range of its family.
func (r Repair) hasFamily(u unit) bool {
	return r.Ports || len(r.Ranges) == 0 || !r.Release.Has(kubeversion.ServiceFamilies) || slices.ContainsFunc(r.Ranges, isOfFamily(u.address))
}

// rangeFor returns the range in which the server looks for a unit; up to 1.19 it names its first one.
func (r Repair) rangeFor(u unit) string {
	if r.Ports {
		return fmt.Sprintf("%d-%d", firstPort, lastPort)
	}
	for _, one := range r.Ranges {
		if isOfFamily(u.address)(one) || !r.Release.Has(kubeversion.ServiceFamilies) {
			return one.String()
		}
	}
	return ""
}

func isOfFamily(address netip.Addr) func(bootstrap.Range) bool {
	return func(one bootstrap.Range) bool { return one.Addr().Is6() == address.Is6() }
}
