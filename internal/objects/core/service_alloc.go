// kubernetes/kubernetes:pkg/registry/core/service/storage/alloc.go

package core

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// allocate gives a service that is written the addresses and ports that it needs, and makes interdependent fields
// consistent. The server does this before all other checks (PL-08). old is nil on create. Errors in wrong end the
// write, and so does err, which is an answer of the server that is not about a field:
// kubernetes/kubernetes:pkg/registry/core/service/storage/alloc.go.
func allocate(s, old *corev1.Service, from rules.Allocator, r rules.Request) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	if !r.Release.Has(kubeversion.ServicesAllocatedFirst) {
		return allocateValid(s, old, from, r)
	}
	a := newAllocation(s, old, from, r)
	return a.take(a.families, a.addresses, a.nodePorts, a.healthCheckPort)
}

// A serviceAllocation allocates addresses and ports for one write of a service.
type serviceAllocation struct {
	service, old *corev1.Service // old is nil on create
	spec         *corev1.ServiceSpec
	from         rules.Allocator
	r            rules.Request
}

// newAllocation returns an allocation for a copy of s, in which interdependent fields are consistent.
func newAllocation(s, old *corev1.Service, from rules.Allocator, r rules.Request) *serviceAllocation {
	service := s.DeepCopy()
	a := &serviceAllocation{service: service, spec: &service.Spec, from: from, r: r}
	listed := r.Release.Has(kubeversion.ServiceFamilies)
	switch {
	case old == nil:
		if listed && a.spec.ClusterIP != "" && len(a.spec.ClusterIPs) == 0 {
			a.spec.ClusterIPs = []string{a.spec.ClusterIP}
		}
	case listed:
		a.old = old.DeepCopy()
		keepAllocated(service, a.old)
		syncAddresses(a.spec, &a.old.Spec)
	default:
		a.old = old
	}
	completeFamily(service, old, from, r.Release)
	return a
}

// take allocates step by step, until something is wrong.
func (a *serviceAllocation) take(steps ...func() (field.ErrorList, error)) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	for _, step := range steps {
		if wrong, err = step(); len(wrong) > 0 || err != nil {
			return nil, wrong, err
		}
	}
	return a.service, nil, nil
}

// syncAddresses updates the list of addresses if only the single address was changed, by a client that does not know
// the list.
func syncAddresses(spec, before *corev1.ServiceSpec) {
	if spec.ClusterIP == before.ClusterIP {
		if len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = slices.Clone(before.ClusterIPs)
		}
		return
	}
	if !slices.Equal(spec.ClusterIPs, before.ClusterIPs) {
		return // validation reports what is wrong with them
	}
	spec.ClusterIPs = nil
	if spec.ClusterIP != "" {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
}

// families decides which address families the service has.
func (a *serviceAllocation) families() (field.ErrorList, error) {
	spec := a.spec
	if spec.Type == corev1.ServiceTypeExternalName || a.staysDual() {
		return nil, nil
	}
	headless := spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0
	if spec.IPFamilyPolicy == nil {
		policy := corev1.IPFamilyPolicySingleStack
		switch {
		case a.old != nil && a.old.Spec.IPFamilyPolicy != nil:
			policy = *a.old.Spec.IPFamilyPolicy
		case headless: // for whatever endpoints it will have
			policy = corev1.IPFamilyPolicyRequireDualStack
		}
		spec.IPFamilyPolicy = &policy
	}
	if errs := relatedAddresses(a.service, a.old, a.r); len(errs) > 0 {
		return errs, nil
	}
	if errs := append(a.fewerFamilies(), a.inferFamilies()...); len(errs) > 0 {
		return errs, nil
	}
	known, single := a.from.Families(), *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
	if headless {
		a.completeFamilies(!single)
		return nil, nil
	}
	var errs rules.Errors
	if *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack && len(known) < 2 {
		errs.Invalid(rules.SpecPath.Child("ipFamilyPolicy"), spec.IPFamilyPolicy, "this cluster is not configured for dual-stack services")
	}
	for i, f := range spec.IPFamilies {
		errs.Add(rules.Unless(slices.Contains(known, f), rules.SpecPath.Child("ipFamilies").Index(i), f, "not configured on this cluster"))
	}
	if errs.Any() {
		return errs.List(), nil
	}
	a.completeFamilies(!single && len(known) == 2)
	return nil, nil
}

// completeFamilies adds the first family of the cluster to a service without families, and the other one if it is to
// have two.
func (a *serviceAllocation) completeFamilies(isDual bool) {
	spec := a.spec
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{a.from.Families()[0]}
	}
	if isDual && len(spec.IPFamilies) == 1 {
		spec.IPFamilies = append(spec.IPFamilies, otherFamily(spec.IPFamilies[0]))
	}
}

// staysDual reports whether a service that prefers two families is left as it is: the cluster may have become
// dual-stack since.
func (a *serviceAllocation) staysDual() bool {
	if !a.r.Release.Has(kubeversion.PreferredFamiliesKept) || a.old == nil || a.spec.IPFamilyPolicy == nil || a.spec.Type != a.old.Spec.Type || *a.spec.IPFamilyPolicy != corev1.IPFamilyPolicyPreferDualStack {
		return false
	}
	before := a.old.Spec
	return (before.IPFamilyPolicy == nil || *before.IPFamilyPolicy == corev1.IPFamilyPolicyPreferDualStack) &&
		slices.Equal(a.spec.ClusterIPs, before.ClusterIPs) && slices.Equal(a.spec.IPFamilies, before.IPFamilies)
}

// fewerFamilies drops the second address if the policy only allows one, and reports a second address that was lost, or
// is present, against the policy.
func (a *serviceAllocation) fewerFamilies() field.ErrorList {
	var errs rules.Errors
	spec, path := a.spec, rules.SpecPath.Child("ipFamilyPolicy")
	single := *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
	if a.old != nil {
		before := a.old.Spec
		if single && len(spec.ClusterIPs) > 1 && slices.Equal(spec.ClusterIPs, before.ClusterIPs) {
			spec.ClusterIPs = spec.ClusterIPs[:1]
		}
		if single && len(spec.IPFamilies) > 1 && slices.Equal(spec.IPFamilies, before.IPFamilies) {
			spec.IPFamilies = spec.IPFamilies[:1]
		}
		if n := len(spec.ClusterIPs); !single && n > 0 && n < len(before.ClusterIPs) {
			errs.Invalid(path, spec.IPFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP")
		}
		if n := len(spec.IPFamilies); !single && n > 0 && n < len(before.IPFamilies) {
			errs.Invalid(path, spec.IPFamilyPolicy, "must be 'SingleStack' to release the secondary IP family")
		}
	}
	if single && len(spec.ClusterIPs) == 2 {
		errs.Invalid(path, spec.IPFamilyPolicy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified")
	}
	if single && len(spec.IPFamilies) == 2 {
		errs.Invalid(path, spec.IPFamilyPolicy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
	}
	return errs.List()
}

// inferFamilies adds the families of the requested addresses.
func (a *serviceAllocation) inferFamilies() field.ErrorList {
	var errs rules.Errors
	for i, ip := range a.spec.ClusterIPs {
		if ip == corev1.ClusterIPNone {
			break
		}
		if i < len(a.spec.IPFamilies) {
			continue
		}
		family := addressFamily(ip)
		if slices.Contains(a.from.Families(), family) {
			a.spec.IPFamilies = append(a.spec.IPFamilies, family)
		} else {
			message := fmt.Sprintf("%s is not configured on this cluster", family)
			if !a.r.Release.Has(kubeversion.ServicesAllocatedFirst) {
				message = fmt.Sprintf("may not use %s on a cluster which is not configured for it", family)
			}
			errs.Invalid(rules.SpecPath.Child("clusterIPs").Index(i), a.spec.ClusterIPs, message)
		}
	}
	return errs.List()
}

func addressFamily(ip string) corev1.IPFamily {
	if netutils.IsIPv6String(ip) {
		return corev1.IPv6Protocol
	}
	return corev1.IPv4Protocol
}

func otherFamily(f corev1.IPFamily) corev1.IPFamily {
	if f == corev1.IPv6Protocol {
		return corev1.IPv4Protocol
	}
	return corev1.IPv6Protocol
}

// addresses allocates the missing addresses of a service.
func (a *serviceAllocation) addresses() (field.ErrorList, error) {
	from := 0
	switch {
	case a.spec.Type == corev1.ServiceTypeExternalName || a.staysDual():
		return nil, nil
	case a.old == nil || a.old.Spec.Type == corev1.ServiceTypeExternalName:
		if len(a.spec.ClusterIPs) > 0 && a.spec.ClusterIPs[0] == corev1.ClusterIPNone {
			return nil, nil
		}
	case len(a.old.Spec.ClusterIPs) > 0 && a.old.Spec.ClusterIPs[0] == corev1.ClusterIPNone:
		return nil, nil
	case len(a.old.Spec.IPFamilies) == 1 && len(a.spec.IPFamilies) == 2:
		from = 1
	default:
		return nil, nil
	}
	for len(a.spec.ClusterIPs) < len(a.spec.IPFamilies) {
		a.spec.ClusterIPs = append(a.spec.ClusterIPs, "") // any address; errors show the list with it
	}
	for i := from; i < len(a.spec.IPFamilies); i++ {
		ip := a.spec.ClusterIPs[i]
		taken, refused := a.from.Address(a.spec.IPFamilies[i], ip)
		switch {
		case refused != "":
			return a.unallocated(ip, refused)
		case taken == "": // PL-08c
			a.spec.ClusterIPs = a.spec.ClusterIPs[:i]
			return nil, nil
		}
		if a.spec.ClusterIPs[i] = taken; i == 0 {
			a.spec.ClusterIP = taken
		}
	}
	return nil, nil
}

// unallocated refuses a service for which there is no address; ip is the requested address, if any.
func (a *serviceAllocation) unallocated(ip, refused string) (field.ErrorList, error) {
	at, r := rules.SpecPath.Child("clusterIPs"), a.r.Release
	switch {
	case ip != "" && !r.Has(kubeversion.AllocationsWorded):
		return field.ErrorList{field.Invalid(at, a.spec.ClusterIPs, fmt.Sprintf("failed to allocated ip:%s with error:%s", ip, refused))}, nil
	case ip != "":
		return field.ErrorList{field.Invalid(at, a.spec.ClusterIPs, fmt.Sprintf("failed to allocate IP %s: %s", ip, refused))}, nil
	case refused != rules.RangeFull && r.Has(kubeversion.AllocationsRefused):
		return field.ErrorList{field.Invalid(at, a.spec.ClusterIPs, "failed to allocate IP: "+refused)}, nil
	case r.Has(kubeversion.FullRangesNameServices):
		return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP for Service %q: %s", a.service.Name, refused))
	}
	return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP: %s", refused))
}

func (a *serviceAllocation) nodePorts() (field.ErrorList, error) {
	switch {
	case !hadNodePorts(a.service):
		return nil, nil
	case a.old == nil:
		return a.newNodePorts(), nil
	}
	return a.changedNodePorts()
}

// newNodePorts allocates the node ports of a new service. Ports with the same number and different protocols share a
// node port.
func (a *serviceAllocation) newNodePorts() field.ErrorList {
	shared := map[int32]int32{}
	for i := range a.spec.Ports {
		p := &a.spec.Ports[i]
		if p.NodePort == 0 && !hasNodePorts(a.service) {
			continue
		}
		requested := p.NodePort
		if shared[p.Port] == 0 {
			if requested == 0 {
				requested = a.requestedFor(p.Port)
			}
		} else if requested == 0 || requested == shared[p.Port] {
			p.NodePort = shared[p.Port]
			continue
		}
		taken, refused := a.from.Port(requested)
		if refused != "" {
			return field.ErrorList{field.Invalid(rules.SpecPath.Child("ports").Index(i).Child("nodePort"), requested, refused)}
		}
		if p.NodePort = taken; shared[p.Port] == 0 {
			shared[p.Port] = taken
		}
	}
	return nil
}

// requestedFor returns the node port that some port with that number requests.
func (a *serviceAllocation) requestedFor(port int32) int32 {
	for _, p := range a.spec.Ports {
		if p.Port == port && p.NodePort != 0 {
			return p.NodePort
		}
	}
	return 0
}

// changedNodePorts allocates the node ports that a service does not have yet.
func (a *serviceAllocation) changedNodePorts() (field.ErrorList, error) {
	var known []int32
	for _, p := range a.old.Spec.Ports {
		known = append(known, p.NodePort)
	}
	type use struct {
		protocol corev1.Protocol
		nodePort int32
	}
	used := map[use]bool{}
	for i := range a.spec.Ports {
		p := &a.spec.Ports[i]
		if p.NodePort == 0 && !hasNodePorts(a.service) {
			continue
		}
		if p.NodePort == 0 || !slices.Contains(known, p.NodePort) {
			taken, refused := a.from.Port(p.NodePort)
			if refused != "" {
				return field.ErrorList{field.Invalid(rules.SpecPath.Child("ports").Index(i).Child("nodePort"), p.NodePort, refused)}, nil
			}
			if p.NodePort != 0 { // several protocols may share it
				known = append(known, taken)
			}
			p.NodePort = taken
		}
		if used[use{p.Protocol, p.NodePort}] {
			return nil, fmt.Errorf("duplicate nodePort: %v", use{p.Protocol, p.NodePort})
		}
		used[use{p.Protocol, p.NodePort}] = true
	}
	return nil, nil
}

// healthCheckPort allocates the port for health checks of a service that did not need one before.
func (a *serviceAllocation) healthCheckPort() (field.ErrorList, error) {
	if !hasHealthCheckPort(a.service) || a.old != nil && hasHealthCheckPort(a.old) {
		return nil, nil
	}
	taken, refused := a.from.Port(a.spec.HealthCheckNodePort)
	if refused != "" {
		return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate requested HealthCheck NodePort %d: %s", a.spec.HealthCheckNodePort, refused))
	}
	a.spec.HealthCheckNodePort = taken
	return nil, nil
}

// readFamilies sets the address families of a service if its manifest does not specify them, as it happens when a
// service is read that was stored before they existed.
func readFamilies(spec *corev1.ServiceSpec) {
	if len(spec.IPFamilies) > 0 || spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 && spec.IPFamilyPolicy == nil {
		rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	}
	rules.SetDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	if len(spec.IPFamilies) > 0 {
		return
	}
	for _, ip := range spec.ClusterIPs {
		if _, err := netip.ParseAddr(ip); err == nil || ip == corev1.ClusterIPNone {
			spec.IPFamilies = append(spec.IPFamilies, addressFamily(ip))
		}
	}
}
