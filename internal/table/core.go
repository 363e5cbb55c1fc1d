package table

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func corePrinters() map[schema.GroupKind]printer {
	return map[schema.GroupKind]printer{
		core("ConfigMap"): newPrinter("Name, Data, Age", func(o *corev1.ConfigMap, now moment) []any {
			values := len(o.Data)
			if now.release.Has(kubeversion.TableBinaryData) {
				values += len(o.BinaryData)
			}
			return []any{o.Name, int64(values), age(o.CreationTimestamp, now)}
		}),
		core("Secret"): newPrinter("Name, Type, Data, Age", func(o *corev1.Secret, now moment) []any {
			return []any{o.Name, string(o.Type), int64(len(o.Data)), age(o.CreationTimestamp, now)}
		}),
		core("Namespace"): newPrinter("Name, Status, Age", func(o *corev1.Namespace, now moment) []any {
			return []any{o.Name, string(o.Status.Phase), age(o.CreationTimestamp, now)}
		}),
		core("ServiceAccount"): newPrinter("Name, Secrets, Age", func(o *corev1.ServiceAccount, now moment) []any {
			return []any{o.Name, int64(len(o.Secrets)), age(o.CreationTimestamp, now)}
		}),
		core("PodTemplate"): newPrinter("Name, Containers, Images, Pod Labels", func(o *corev1.PodTemplate, _ moment) []any {
			names, images := containers(o.Template.Spec.Containers)
			return []any{o.Name, names, images, selector(o.Template.Labels)}
		}),
		core("ComponentStatus"): newPrinter("Name, Status, Message, Error", componentStatus),
		core("Service"):         newPrinter("Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector", service),
		core("Endpoints"): newPrinter("Name, Endpoints, Age", func(o *corev1.Endpoints, now moment) []any {
			return []any{o.Name, endpoints(o, now), age(o.CreationTimestamp, now)}
		}),
		core("Node"):                  newPrinter("Name, Status, Roles, Age, Version, Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime", node),
		core("Event"):                 newPrinter("Last Seen, Type, Reason, Kind, Object, Subobject, Source, Message, First Seen, Count, Name", event),
		core("PersistentVolume"):      newPrinter("Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode", volume),
		core("PersistentVolumeClaim"): newPrinter("Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode", claim),
		core("ResourceQuota"):         newPrinter("Name, Request, Limit, Age", quota),
		core("Pod"):                   newPrinter("Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates", pod),
		core("ReplicationController"): newPrinter("Name, Desired, Current, Ready, Age, Containers, Images, Selector", func(o *corev1.ReplicationController, now moment) []any {
			var names, images string
			if o.Spec.Template != nil {
				names, images = containers(o.Spec.Template.Spec.Containers)
			}
			return []any{o.Name, replicas(o.Spec.Replicas), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas), age(o.CreationTimestamp, now), names, images, selector(o.Spec.Selector)}
		}),
	}
}

func componentStatus(o *corev1.ComponentStatus, _ moment) []any {
	status, message, problem := "Unknown", "", ""
	for _, c := range o.Conditions {
		if c.Type != corev1.ComponentHealthy {
			continue
		}
		if status = "Unhealthy"; c.Status == corev1.ConditionTrue {
			status = "Healthy"
		}
		message, problem = c.Message, c.Error
		break
	}
	return []any{o.Name, status, message, problem}
}

func service(o *corev1.Service, now moment) []any {
	ip := orNone(o.Spec.ClusterIP)
	if len(o.Spec.ClusterIPs) > 0 {
		ip = o.Spec.ClusterIPs[0]
	}
	var ports []string
	for _, p := range o.Spec.Ports {
		if p.NodePort > 0 {
			ports = append(ports, fmt.Sprintf("%d:%d/%s", p.Port, p.NodePort, p.Protocol))
			continue
		}
		ports = append(ports, fmt.Sprintf("%d/%s", p.Port, p.Protocol))
	}
	return []any{o.Name, string(o.Spec.Type), ip, externalIP(o), orNone(strings.Join(ports, ",")), age(o.CreationTimestamp, now), selector(o.Spec.Selector)}
}

func externalIP(o *corev1.Service) string {
	switch o.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return orNone(strings.Join(o.Spec.ExternalIPs, ","))
	case corev1.ServiceTypeLoadBalancer:
		var all []string
		for _, i := range o.Status.LoadBalancer.Ingress {
			if at := cmp.Or(i.IP, i.Hostname); at != "" {
				all = append(all, at)
			}
		}
		var known []string
		if joined := sortedJoin(all); joined != "" {
			known = strings.Split(joined, ",")
		}
		return cmp.Or(strings.Join(append(known, o.Spec.ExternalIPs...), ","), "<pending>")
	case corev1.ServiceTypeExternalName:
		return o.Spec.ExternalName
	}
	return "<unknown>"
}

func endpoints(o *corev1.Endpoints, now moment) string {
	var all []string
	for _, s := range o.Subsets {
		for _, a := range s.Addresses {
			if len(s.Ports) == 0 && now.release.Has(kubeversion.TablePortlessEndpoints) {
				all = append(all, a.IP)
			}
		}
		for _, p := range s.Ports {
			for _, a := range s.Addresses {
				all = append(all, net.JoinHostPort(a.IP, strconv.Itoa(int(p.Port))))
			}
		}
	}
	if len(all) == 0 && len(o.Subsets) > 0 {
		return ""
	}
	return firstThree(all, "<none>")
}

func node(o *corev1.Node, now moment) []any {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.NodeReady {
			if status = "NotReady"; c.Status == corev1.ConditionTrue {
				status = "Ready"
			}
		}
	}
	if o.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	var roles []string
	for key, value := range o.Labels {
		if role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		} else if key == "kubernetes.io/role" && value != "" {
			roles = append(roles, value)
		}
	}
	address := func(kind corev1.NodeAddressType) string {
		for _, a := range o.Status.Addresses {
			if a.Type == kind {
				return a.Address
			}
		}
		return "<none>"
	}
	unknown := func(text string) string { return cmp.Or(text, "<unknown>") }
	info := o.Status.NodeInfo
	kernel := unknown(info.KernelVersion)
	if info.Architecture != "" && now.release.Has(kubeversion.TableArchitectures) {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{
		o.Name, status, orNone(sortedJoin(roles)), age(o.CreationTimestamp, now), info.KubeletVersion,
		address(corev1.NodeInternalIP), address(corev1.NodeExternalIP), unknown(info.OSImage), kernel, unknown(info.ContainerRuntimeVersion),
	}
}

func event(o *corev1.Event, now moment) []any {
	first, last, count := age(o.FirstTimestamp, now), age(o.LastTimestamp, now), o.Count
	if now.release.Has(kubeversion.TableEventTimes) {
		if o.FirstTimestamp.IsZero() {
			first = age(metav1.Time{Time: o.EventTime.Time}, now)
		}
		if o.LastTimestamp.IsZero() {
			last = first
		}
	}
	component, host := o.Source.Component, o.Source.Host
	if now.release.Has(kubeversion.TableEventSeries) {
		component, host = cmp.Or(component, o.ReportingController), cmp.Or(host, o.ReportingInstance)
		if o.Series != nil {
			last, count = age(metav1.Time{Time: o.Series.LastObservedTime.Time}, now), o.Series.Count
			if !now.release.Has(kubeversion.TableEventSeriesExact) {
				count++
			}
		} else if count == 0 {
			count = 1
		}
	}
	if host != "" {
		component += ", " + host
	}
	object, message := strings.ToLower(o.InvolvedObject.Kind), o.Message
	if o.InvolvedObject.Name != "" {
		object += "/" + o.InvolvedObject.Name
	}
	if now.release.Has(kubeversion.TableEventTrimmed) {
		message = strings.TrimSpace(message)
	}
	return []any{last, o.Type, o.Reason, o.InvolvedObject.Kind, object, o.InvolvedObject.FieldPath, component, message, first, int64(count), o.Name}
}

var modeNames = map[corev1.PersistentVolumeAccessMode]string{
	corev1.ReadWriteOnce: "RWO", corev1.ReadOnlyMany: "ROX", corev1.ReadWriteMany: "RWX", corev1.ReadWriteOncePod: "RWOP",
}

func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var names []string
	for _, known := range []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod} {
		for _, m := range modes {
			if m == known {
				names = append(names, modeNames[m])
				break
			}
		}
	}
	return strings.Join(names, ",")
}

func unset[T ~string](text *T) string {
	if text == nil {
		return "<unset>"
	}
	return string(*text)
}

func volume(o *corev1.PersistentVolume, now moment) []any {
	claimed := ""
	if ref := o.Spec.ClaimRef; ref != nil {
		claimed = ref.Namespace + "/" + ref.Name
	}
	phase := string(o.Status.Phase)
	if o.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	size := o.Spec.Capacity[corev1.ResourceStorage]
	return []any{
		o.Name, size.String(), accessModes(o.Spec.AccessModes), string(o.Spec.PersistentVolumeReclaimPolicy), phase, claimed,
		storageClass(o.Annotations, &o.Spec.StorageClassName), unset(o.Spec.VolumeAttributesClassName), o.Status.Reason, age(o.CreationTimestamp, now), unset(o.Spec.VolumeMode),
	}
}

func orEmpty[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}

// storageClass returns the class of a volume or a claim. It used to be an annotation.
func storageClass(annotations map[string]string, class *string) string {
	if old, ok := annotations[corev1.BetaStorageClassAnnotation]; ok {
		return old
	}
	if class == nil {
		return ""
	}
	return *class
}

func claim(o *corev1.PersistentVolumeClaim, now moment) []any {
	phase, capacity, modes := string(o.Status.Phase), "", ""
	if o.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	if o.Spec.VolumeName != "" {
		size := o.Status.Capacity[corev1.ResourceStorage]
		capacity, modes = size.String(), accessModes(o.Status.AccessModes)
	}
	return []any{
		o.Name, phase, o.Spec.VolumeName, capacity, modes, storageClass(o.Annotations, o.Spec.StorageClassName),
		unset(o.Spec.VolumeAttributesClassName), age(o.CreationTimestamp, now), unset(o.Spec.VolumeMode),
	}
}
