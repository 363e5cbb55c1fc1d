package change

import (
	"iter"
	"maps"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/cluster"
)

// The allocators of addresses and ports can differ from what services have: up to 1.22 after a service that has finalizers
// is deleted (PL-21e), up to 1.13 after the creation of a service fails although it is stored (IN-14).

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
	return changed(s, func(d differences) {
		free := map[unit]bool{}
		for u := range unitsOf(of) {
			free[u] = true
			delete(d.leaked, u)
		}
		for other := range servicesIn(s) {
			for u := range unitsOf(other) {
				if free[u] {
					d.lost[held(other, u)] = true
				}
			}
		}
	})
}

// Leak returns the state in which the addresses and the ports of a service that is gone stay taken.
func Leak(s *cluster.State, gone *corev1.Service) *cluster.State {
	return changed(s, func(d differences) {
		for u := range unitsOf(gone) {
			if h := held(gone, u); d.lost[h] {
				delete(d.lost, h)
			} else {
				d.leaked[u] = true
			}
		}
	})
}

// has reports whether a service has what the allocators know to be taken.
func (d differences) has(s *corev1.Service, u unit) bool { return !d.lost[held(s, u)] }

// unitsOf yields the addresses and the ports of a service.
func unitsOf(s *corev1.Service) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		for address := range addressesOf(s) {
			if !yield(unit{address: address}) {
				return
			}
		}
		for port := range portsOf(s) {
			if port != 0 && !yield(unit{port: port}) {
				return
			}
		}
	}
}

// addressesOf yields the addresses of a service, some of them twice.
func addressesOf(s *corev1.Service) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for _, ip := range append([]string{s.Spec.ClusterIP}, s.Spec.ClusterIPs...) {
			if address, ok := parseAddress(ip); ok && !yield(address) {
				return
			}
		}
	}
}

// portsOf yields the node ports of a service, 0 for those that it does not have.
func portsOf(s *corev1.Service) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, p := range s.Spec.Ports {
			if !yield(p.NodePort) {
				return
			}
		}
		yield(s.Spec.HealthCheckNodePort)
	}
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
