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
	"k8s.io/apimachinery/pkg/util/duration"
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
		networking("IngressClass"): newPrinter("Name, Controller, Parameters, Age", func(o *networkingv1.IngressClass, now time.Time) []any {
			name, parameters := o.Name, "<none>"
			if o.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
				name += " (default)"
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
		networking("NetworkPolicy"): newPrinter("Name, Pod-Selector, Age", func(o *networkingv1.NetworkPolicy, now time.Time) []any {
			return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), age(o.CreationTimestamp, now)}
		}),
		storage("StorageClass"): newPrinter("Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age", func(o *storagev1.StorageClass, now time.Time) []any {
			name := o.Name
			if o.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" || o.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true" {
				name += " (default)"
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
		storage("CSINode"): newPrinter("Name, Drivers:integer, Age", func(o *storagev1.CSINode, now time.Time) []any {
			return []any{o.Name, int64(len(o.Spec.Drivers)), age(o.CreationTimestamp, now)}
		}),
		storage("VolumeAttributesClass"): newPrinter("Name, DriverName, Age", func(o *storagev1.VolumeAttributesClass, now time.Time) []any {
			return []any{o.Name, o.DriverName, age(o.CreationTimestamp, now)}
		}),
		{Group: coordinationv1.GroupName, Kind: "Lease"}: newPrinter("Name, Holder, Age", func(o *coordinationv1.Lease, now time.Time) []any {
			holder := ""
			if o.Spec.HolderIdentity != nil {
				holder = *o.Spec.HolderIdentity
			}
			return []any{o.Name, holder, age(o.CreationTimestamp, now)}
		}),
		{Group: schedulingv1.GroupName, Kind: "PriorityClass"}: newPrinter("Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy", func(o *schedulingv1.PriorityClass, now time.Time) []any {
			preempts := ""
			if o.PreemptionPolicy != nil {
				preempts = string(*o.PreemptionPolicy)
			}
			return []any{o.Name, int64(o.Value), o.GlobalDefault, age(o.CreationTimestamp, now), preempts}
		}),
		{Group: nodev1.GroupName, Kind: "RuntimeClass"}: newPrinter("Name, Handler, Age", func(o *nodev1.RuntimeClass, now time.Time) []any {
			return []any{o.Name, o.Handler, age(o.CreationTimestamp, now)}
		}),
		{Group: certificatesv1.GroupName, Kind: "CertificateSigningRequest"}: newPrinter("Name, Age, SignerName, Requestor, RequestedDuration, Condition", certificateRequest),
		{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}:                newPrinter("Name, AddressType, Ports, Endpoints, Age", slice),
	}
}

func ingress(o *networkingv1.Ingress, now time.Time) []any {
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

func certificateRequest(o *certificatesv1.CertificateSigningRequest, now time.Time) []any {
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
		lasts = duration.HumanDuration(time.Duration(*s) * time.Second)
	}
	return []any{o.Name, age(o.CreationTimestamp, now), orNone(o.Spec.SignerName), o.Spec.Username, lasts, status}
}

func slice(o *discoveryv1.EndpointSlice, now time.Time) []any {
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
	shown := firstThree(ports, "<unset>")
	return []any{o.Name, string(o.AddressType), shown, firstThree(addresses, "<unset>"), age(o.CreationTimestamp, now)}
}
