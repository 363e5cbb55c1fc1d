package manifests

import (
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
)

const backendTheme = "The server of a webhook"

func backendRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM060", Name: "service-missing", Theme: backendTheme, Severity: lint.Error, Practice: "load-balancer-webhook",
			Title:  "The Service of a webhook does not exist.",
			Why:    "Every call of the webhook fails. (Checked if the manifests contain a Service.)",
			Remedy: "correct the name or the namespace of the Service, or add its manifest",
			Check:  lint.EachHook(serviceMissing),
		},
		{
			ID: "ADM061", Name: "service-port", Theme: backendTheme, Severity: lint.Error,
			Title:  "The Service of a webhook does not have the port that the webhook names.",
			Why:    "Every call of the webhook fails. The default port is 443.",
			Remedy: "add the port to the Service, or set clientConfig.service.port",
			Check:  lint.EachHook(servicePort),
		},
		{
			ID: "ADM062", Name: "no-endpoints", Theme: backendTheme, Severity: lint.Error, Practice: "ha-deployment",
			Title:  "The Service of a webhook has no pods.",
			Why:    "Every call of the webhook fails. (Checked if the manifests contain workloads.)",
			Remedy: "make the selector of the Service match the labels of the pods, and run at least two pods",
			Check:  lint.EachHook(noEndpoints),
		},
		{
			ID: "ADM063", Name: "single-replica", Theme: backendTheme, Severity: lint.Warning, Practice: "ha-deployment",
			Title:  "A webhook that must answer runs as a single pod.",
			Why:    "While that pod is replaced or updated, all requests that the webhook has to admit are refused.",
			Remedy: "run at least two replicas, on different nodes, with a PodDisruptionBudget",
			Check:  singleReplica,
		},
		{
			ID: "ADM064", Name: "conversion-service", Theme: backendTheme, Severity: lint.Error,
			Title:  "Nothing answers for the conversion webhook of a CustomResourceDefinition.",
			Why:    "Objects are stored in one version. Without the webhook they can be read and written in no other one, and if some are stored in an older version, they cannot be listed at all: namespaces that hold some cannot be deleted either. (Checked like ADM060 to ADM062.)",
			Remedy: "correct spec.conversion.webhook.clientConfig.service, or add the Service and its pods to the manifests",
			Check:  conversionService,
		},
	}
}

func serviceMissing(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	b := s.Graph.Backend(h.Webhook)
	if b != nil && b.Service == nil && s.Holds("Service") && !s.MayLack("Service") {
		r.At(h.Field("clientConfig.service"), "there is no Service %s", b)
	}
}

func servicePort(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	b := s.Graph.Backend(h.Webhook)
	if b == nil || b.Service == nil {
		return
	}
	if text := noPort(b, dispatch.PortOf(*h.ClientConfig.Service)); text != "" {
		f := r.At(h.Field("clientConfig.service.port"), "%s", text)
		f.Related = where(s, b)
	}
}

// noPort returns a message if a Service does not have a port.
func noPort(b *dependency.Backend, port int32) string {
	var has []string
	for _, p := range b.Service.Spec.Ports {
		if p.Port == port {
			return ""
		}
		has = append(has, fmt.Sprint(p.Port))
	}
	return fmt.Sprintf("Service %s has no port %d, only %s", b, port, strings.Join(has, ", "))
}

// where returns the place of a backend's Service.
func where(s *lint.Subject, b *dependency.Backend) []lint.Related {
	for _, m := range s.Manifests {
		namespace := m.Namespace
		if namespace == "" {
			namespace = "default"
		}
		if m.Kind == "Service" && m.Group == "" && m.Name == b.Name && namespace == b.Namespace {
			return []lint.Related{{Source: m.Source, Message: "the Service"}}
		}
	}
	return nil
}

var workloadKinds = []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Pod"}

func noEndpoints(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	b := s.Graph.Backend(h.Webhook)
	if b == nil || b.Service == nil {
		return
	}
	if text := noPods(s, b); text != "" {
		f := r.At(h.Field("clientConfig.service"), "%s", text)
		f.Related = where(s, b)
	}
}

// noPods returns a message if there are no pods behind a Service.
func noPods(s *lint.Subject, b *dependency.Backend) string {
	if len(b.Service.Spec.Selector) == 0 {
		return ""
	}
	if ready, known := endpoints(s, b); known && ready > 0 || !known && (b.Replicas() > 0 || !s.Holds(workloadKinds...) || s.MayLack(workloadKinds...)) {
		return ""
	}
	text := fmt.Sprintf("no pods are behind Service %s", b)
	if len(b.Workloads) > 0 {
		text += fmt.Sprintf(": %s has no replicas", b.Workloads[0])
	}
	return text
}

const crdKind = "CustomResourceDefinition"

// conversionService looks at definitions with several versions: with one version, there is nothing to convert.
func conversionService(s *lint.Subject, r *lint.Reporter) {
	kind := schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: crdKind}
	for _, m := range s.Manifests {
		crd, ok := cluster.Get[*apiextensionsv1.CustomResourceDefinition](s.State, kind, "", m.Name)
		if !ok || m.Kind != kind.Kind || len(crd.Spec.Versions) < 2 {
			continue
		}
		c := crd.Spec.Conversion
		if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil || c.Webhook.ClientConfig.Service == nil {
			continue
		}
		reference := c.Webhook.ClientConfig.Service
		b := s.Graph.BackendOf(reference.Namespace, reference.Name)
		field, text := "", ""
		switch {
		case b.Service != nil:
			port := int32(443)
			if reference.Port != nil {
				port = *reference.Port
			}
			field, text = ".port", noPort(b, port)
			if text == "" {
				field, text = "", noPods(s, b)
			}
		case s.Holds("Service") && !s.MayLack("Service"):
			text = fmt.Sprintf("there is no Service %s", b)
		}
		if text != "" {
			at := lint.Field{Manifest: m, Path: "spec.conversion.webhook.clientConfig.service" + field}
			f := r.At(at, "nothing converts %s from one version to another: %s", crd.Spec.Names.Plural, text)
			f.Related = where(s, b)
		}
	}
}

// endpoints returns how many ready endpoints a Service has, if the manifests contain any of its EndpointSlices.
func endpoints(s *lint.Subject, b *dependency.Backend) (ready int, known bool) {
	for o := range s.State.List(schema.GroupKind{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}, b.Namespace) {
		slice, ok := o.Object.(*discoveryv1.EndpointSlice)
		if !ok || slice.Labels[discoveryv1.LabelServiceName] != b.Name {
			continue
		}
		known = true
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				ready += len(e.Addresses)
			}
		}
	}
	return ready, known
}

// singleReplica reports a backend once, at the first webhook that needs it.
func singleReplica(s *lint.Subject, r *lint.Reporter) {
	seen := map[*dependency.Backend]bool{}
	for _, h := range s.Hooks {
		b := s.Graph.Backend(h.Webhook)
		if b == nil || !h.FailsClosed() || b.Replicas() != 1 || scaled(s, b.Workloads) {
			continue
		}
		if seen[b] {
			continue
		}
		seen[b] = true
		f := r.At(h.Field("clientConfig.service"), "%s runs a single pod, and has to answer", b.Workloads[0])
		f.Related = where(s, b)
	}
}

// scaled reports whether an autoscaler keeps more than one replica of a workload.
func scaled(s *lint.Subject, workloads []*dependency.Workload) bool {
	for o := range s.State.List(schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}, workloads[0].Namespace) {
		kind, name, atLeast := "", "", (*int32)(nil)
		switch x := o.Object.(type) {
		case *autoscalingv1.HorizontalPodAutoscaler:
			kind, name, atLeast = x.Spec.ScaleTargetRef.Kind, x.Spec.ScaleTargetRef.Name, x.Spec.MinReplicas
		case *autoscalingv2.HorizontalPodAutoscaler:
			kind, name, atLeast = x.Spec.ScaleTargetRef.Kind, x.Spec.ScaleTargetRef.Name, x.Spec.MinReplicas
		}
		for _, w := range workloads {
			if kind == w.Kind && name == w.Name && atLeast != nil && *atLeast > 1 {
				return true
			}
		}
	}
	return false
}
