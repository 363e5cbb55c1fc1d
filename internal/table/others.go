package table

import (
	"cmp"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func otherPrinters() map[schema.GroupKind]printer {
	networking := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: networkingv1.GroupName, Kind: kind}
	}
	storage := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: storagev1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]printer{
		networking("Ingress"): newPrinter("Name, Class, Hosts, Address, Ports, Age", ingress),
		networking("IngressClass"): newPrinter("Name, Controller, Parameters, Age", func(o *networkingv1.IngressClass, now moment) []any {
			name, parameters := o.Name, "<none>"
			if o.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" && now.release.Has(kubeversion.TableDefaultIngressClasses) {
				name += defaultMark
			}
			if p := o.Spec.Parameters; p != nil {
				parameters = p.Kind
				if p.APIGroup != nil {
					parameters += "." + *p.APIGroup
				}
				parameters += "/" + p.Name
			}
			return []any{name, o.Spec.Controller, parameters, age(o.CreationTimestamp, now)}
		}),
		networking("NetworkPolicy"): newPrinter("Name, Pod-Selector, Age", func(o *networkingv1.NetworkPolicy, now moment) []any {
			return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), age(o.CreationTimestamp, now)}
		}),
		storage("StorageClass"): newPrinter("Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age", func(o *storagev1.StorageClass, now moment) []any {
			name := o.Name
			if isDefaultClass(o) && !now.release.Has(kubeversion.TableEffectiveDefaultClass) {
				name += defaultMark
			}
			reclaim, binding, expands := string(corev1.PersistentVolumeReclaimDelete), string(storagev1.VolumeBindingImmediate), false
			if o.ReclaimPolicy != nil {
				reclaim = string(*o.ReclaimPolicy)
			}
			if o.VolumeBindingMode != nil {
				binding = string(*o.VolumeBindingMode)
			}
			if o.AllowVolumeExpansion != nil {
				expands = *o.AllowVolumeExpansion
			}
			return []any{name, o.Provisioner, reclaim, binding, expands, age(o.CreationTimestamp, now)}
		}),
		storage("CSINode"): newPrinter("Name, Drivers, Age", func(o *storagev1.CSINode, now moment) []any {
			return []any{o.Name, int64(len(o.Spec.Drivers)), age(o.CreationTimestamp, now)}
		}),
		storage("VolumeAttributesClass"): newPrinter("Name, DriverName, Age", func(o *storagev1.VolumeAttributesClass, now moment) []any {
			name := o.Name
			if o.Annotations["volumeattributesclass.alpha.kubernetes.io/is-default-class"] == "true" && !now.release.Has(kubeversion.TableNoDefaultAttributesClass) {
				name += defaultMark
			}
			return []any{name, o.DriverName, age(o.CreationTimestamp, now)}
		}),
		{Group: coordinationv1.GroupName, Kind: "Lease"}: newPrinter("Name, Holder, Age", func(o *coordinationv1.Lease, now moment) []any {
			holder := ""
			if o.Spec.HolderIdentity != nil {
				holder = *o.Spec.HolderIdentity
			}
			return []any{o.Name, holder, age(o.CreationTimestamp, now)}
		}),
		{Group: schedulingv1.GroupName, Kind: "PriorityClass"}: newPrinter("Name, Value, Global-Default, Age, PreemptionPolicy", func(o *schedulingv1.PriorityClass, now moment) []any {
			preempts := ""
			if o.PreemptionPolicy != nil {
				preempts = string(*o.PreemptionPolicy)
			}
			return []any{o.Name, int64(o.Value), o.GlobalDefault, age(o.CreationTimestamp, now), preempts}
		}),
		{Group: nodev1.GroupName, Kind: "RuntimeClass"}: newPrinter("Name, Handler, Age", func(o *nodev1.RuntimeClass, now moment) []any {
			return []any{o.Name, o.Handler, age(o.CreationTimestamp, now)}
		}),
		{Group: certificatesv1.GroupName, Kind: "CertificateSigningRequest"}: newPrinter("Name, Age, SignerName, Requestor, RequestedDuration, Condition", certificateRequest),
		{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}:                newPrinter("Name, AddressType, Ports, Endpoints, Age", slice),
	}
}

const defaultMark = " (default)"

func isDefaultClass(o *storagev1.StorageClass) bool {
	return o.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" || o.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
}

// isNewerDefault reports whether a class takes the place of another one as the default.
func isNewerDefault(o, other *storagev1.StorageClass) bool {
	if other == nil || !isDefaultClass(o) {
		return isDefaultClass(o)
	}
	if o.CreationTimestamp.Equal(&other.CreationTimestamp) {
		return o.Name < other.Name
	}
	return o.CreationTimestamp.After(other.CreationTimestamp.Time)
}

func ingress(o *networkingv1.Ingress, now moment) []any {
	class := "<none>"
	if o.Spec.IngressClassName != nil {
		class = *o.Spec.IngressClassName
	}
	var hosts, addresses []string
	for _, r := range o.Spec.Rules {
		if r.Host != "" {
			hosts = append(hosts, r.Host)
		}
	}
	for _, i := range o.Status.LoadBalancer.Ingress {
		if at := cmp.Or(i.IP, i.Hostname); at != "" {
			addresses = append(addresses, at)
		}
	}
	ports := "80"
	if len(o.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{o.Name, class, firstThree(hosts, "*"), sortedJoin(addresses), ports, age(o.CreationTimestamp, now)}
}

func certificateRequest(o *certificatesv1.CertificateSigningRequest, now moment) []any {
	has := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range o.Status.Conditions {
		has[c.Type] = true
	}
	status := "Pending"
	switch {
	case has[certificatesv1.CertificateDenied]:
		status = "Denied"
	case has[certificatesv1.CertificateApproved]:
		status = "Approved"
	}
	if has[certificatesv1.CertificateFailed] {
		status += ",Failed"
	}
	if len(o.Status.Certificate) > 0 {
		status += ",Issued"
	}
	lasts := "<none>"
	if s := o.Spec.ExpirationSeconds; s != nil {
		lasts = now.duration(time.Duration(*s) * time.Second)
	}
	return []any{o.Name, age(o.CreationTimestamp, now), orNone(o.Spec.SignerName), o.Spec.Username, lasts, status}
}

func slice(o *discoveryv1.EndpointSlice, now moment) []any {
	var ports, addresses []string
	for _, p := range o.Ports {
		switch {
		case p.Port != nil:
			ports = append(ports, fmt.Sprint(*p.Port))
		case p.Name != nil:
			ports = append(ports, *p.Name)
		default:
			ports = append(ports, "*")
		}
	}
	for _, e := range o.Endpoints {
		addresses = append(addresses, e.Addresses...)
	}
	orUnset := func(all []string) string { return cmp.Or(firstThree(all, ""), "<unset>") } // also if all are empty
	return []any{o.Name, string(o.AddressType), orUnset(ports), orUnset(addresses), age(o.CreationTimestamp, now)}
}
