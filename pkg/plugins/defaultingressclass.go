package plugins

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var ingressClassKind = schema.GroupKind{Group: networkingv1.GroupName, Kind: "IngressClass"}

// ingressClassAnnotation named the class of an ingress before there was a field.
const ingressClassAnnotation = "kubernetes.io/ingress.class"

// defaultIngressClass gives ingresses that name no class the default one.
type defaultIngressClass struct{ several bool }

func newDefaultIngressClass(o Options) (any, error) {
	return defaultIngressClass{o.Release.Has(kubeversion.SeveralDefaultClasses)}, nil
}

func (p defaultIngressClass) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := begin(req)
	if !concerns(req, networkingv1.GroupName, "ingresses") {
		return skip(step, "not an ingress"), nil
	}
	ingress, err := objectOf[*networkingv1.Ingress](req)
	if err != nil {
		return step, err
	}
	if _, ok := ingress.Annotations[ingressClassAnnotation]; ok || ingress.Spec.IngressClassName != nil {
		return skip(step, "the ingress names a class"), nil // DIC-01
	}
	class, name, ok := defaultClass(s, ingressClassKind, networkingv1.AnnotationIsDefaultIngressClass)
	if !ok {
		return allow(step, "no ingress class is the default one"), nil
	}
	if n := defaultClasses(s, ingressClassKind, networkingv1.AnnotationIsDefaultIngressClass); n > 1 && !p.several {
		return forbid(decidedBy(step, class), req, fmt.Sprintf("Internal error occurred: %d default IngressClasses were found, only 1 allowed", n)), nil
	}
	changed := *ingress
	changed.Spec.IngressClassName = &name // DIC-03
	return decidedBy(change(step, &changed, "the default ingress class is "+name), class), nil
}
