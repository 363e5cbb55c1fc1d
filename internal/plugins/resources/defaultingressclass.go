package resources

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var ingressClassKind = schema.GroupKind{Group: networkingv1.GroupName, Kind: "IngressClass"}

// ingressClassAnnotation named the class of an ingress before there was a field for it.
const ingressClassAnnotation = "kubernetes.io/ingress.class"

// DefaultIngressClass sets the default class on ingresses without a class.
type DefaultIngressClass struct{ several bool }

func NewDefaultIngressClass(r *kubeversion.Release) DefaultIngressClass {
	return DefaultIngressClass{r.Has(kubeversion.SeveralDefaultClasses)}
}

func (p DefaultIngressClass) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, networkingv1.GroupName, "ingresses") {
		return plugin.Skip(step, "not an ingress"), nil
	}
	ingress, err := plugin.ObjectOf[*networkingv1.Ingress](req)
	if err != nil {
		return step, err
	}
	if _, ok := ingress.Annotations[ingressClassAnnotation]; ok || ingress.Spec.IngressClassName != nil {
		return plugin.Skip(step, "the ingress names a class"), nil // DIC-01
	}
	class, name, ok := defaultClass(s, ingressClassKind, networkingv1.AnnotationIsDefaultIngressClass)
	if !ok {
		return plugin.Allow(step, "no ingress class is the default one"), nil
	}
	if n := defaultClasses(s, ingressClassKind, networkingv1.AnnotationIsDefaultIngressClass); n > 1 && !p.several {
		return plugin.Forbid(plugin.DecidedBy(step, class), req, fmt.Sprintf("Internal error occurred: %d default IngressClasses were found, only 1 allowed", n)), nil
	}
	changed := *ingress
	changed.Spec.IngressClassName = &name // DIC-03
	return plugin.DecidedBy(plugin.Change(step, &changed, "the default ingress class is "+name), class), nil
}
