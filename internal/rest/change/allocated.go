package change

import (
	"iter"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
)

// The allocators of addresses and ports can differ from what services have: after one of two services gives up what both
// have (PL-21f), up to 1.22 after a service that has finalizers is deleted (PL-21e), up to 1.13 after the creation of a
// service fails although it is stored (IN-14). A [Repair] ends that.

// A unit is an address or a port that is allocated.
type unit struct {
	address netip.Addr
	port    int32 // 0: the unit is the address
}

// A holding is a unit that a service has.
type holding struct {
	service types.NamespacedName
	uid     types.UID
	unit
}

func held(by *corev1.Service, u unit) holding {
	return holding{types.NamespacedName{Namespace: by.Namespace, Name: by.Name}, by.UID, u}
}

// differences are those between the allocators and the services of a state, which remembers them. They are immutable.
type differences struct {
	lost   map[holding]bool // free although the service has it
	leaked map[unit]bool    // taken although no service has it
}

const differencesMemory = "service allocators"

func differencesIn(s *cluster.State) (d differences) {
	d, _ = s.Memory(differencesMemory).(differences)
	return d
}

// changed returns the state with other differences, which change makes.
func changed(s *cluster.State, change func(d differences)) *cluster.State {
	before := differencesIn(s)
	next := differences{map[holding]bool{}, map[unit]bool{}}
	maps.Copy(next.lost, before.lost)
	maps.Copy(next.leaked, before.leaked)
	change(next)
	if maps.Equal(next.lost, before.lost) && maps.Equal(next.leaked, before.leaked) {
		return s
	}
	return s.Remembering(differencesMemory, next)
}

// Release returns the state in which the addresses and the ports of a service are free, whoever has them.
func Release(s *cluster.State, of *corev1.Service) *cluster.State {
	return release(s, of, unitsOf(of))
}

func release(s *cluster.State, of *corev1.Service, units []unit) *cluster.State {
	return changed(s, func(d differences) {
		for _, u := range units {
			delete(d.leaked, u)
			delete(d.lost, held(of, u)) // unless it still has the unit
		}
		for service := range servicesIn(s) {
			for _, u := range unitsOf(service) {
				if slices.Contains(units, u) {
					d.lost[held(service, u)] = true
				}
			}
		}
	})
}

// Replace returns the state in which an object has replaced another one, which may be nil. What a service gives up is free,
// whoever has it.
func Replace(s *cluster.State, old runtime.Object, by cluster.Object) *cluster.State {
	next := s.With(by)
	before, _ := old.(*corev1.Service)
	after, ok := by.Object.(*corev1.Service)
	if before == nil || !ok {
		return next
	}
	kept := unitsOf(after)
	units := slices.DeleteFunc(unitsOf(before), func(u unit) bool { return slices.Contains(kept, u) })
	if len(units) == 0 {
		return next
	}
	return release(next, before, units)
}

// Leak returns the state in which the addresses and the ports of a service that is gone stay taken.
func Leak(s *cluster.State, gone *corev1.Service) *cluster.State {
	return changed(s, func(d differences) {
		for _, u := range unitsOf(gone) {
			if h := held(gone, u); d.lost[h] {
				delete(d.lost, h)
			} else {
				d.leaked[u] = true
			}
		}
	})
}

// takenIn yields the units that the allocators know to be taken, some of them more than once.
func takenIn(s *cluster.State) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		d := differencesIn(s)
		for service := range servicesIn(s) {
			for _, u := range unitsOf(service) {
				if !d.lost[held(service, u)] && !yield(u) {
					return
				}
			}
		}
		for u := range d.leaked {
			if !yield(u) {
				return
			}
		}
	}
}

// unitsOf returns the addresses and the ports of a service, each once: clusterIP is the first of clusterIPs, and ports of
// different protocols can have the same node port.
func unitsOf(s *corev1.Service) (all []unit) {
	add := func(u unit) {
		if u != (unit{}) && !slices.Contains(all, u) {
			all = append(all, u)
		}
	}
	for _, ip := range append([]string{s.Spec.ClusterIP}, s.Spec.ClusterIPs...) {
		address, _ := bootstrap.ParseAddress(ip)
		add(unit{address: address})
	}
	for _, p := range s.Spec.Ports {
		add(unit{port: p.NodePort})
	}
	add(unit{port: s.Spec.HealthCheckNodePort})
	return all
}

func servicesIn(s *cluster.State) iter.Seq[*corev1.Service] {
	return func(yield func(*corev1.Service) bool) {
		for kept := range s.List(schema.GroupKind{Kind: "Service"}, "") {
			if service, ok := kept.Object.(*corev1.Service); ok && !yield(service) {
				return
			}
		}
	}
}
