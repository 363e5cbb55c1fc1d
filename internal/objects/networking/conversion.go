// kubernetes/kubernetes:pkg/apis/networking/v1beta1/conversion.go

package networking

import (
	"reflect"

	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// networkingVersions returns the versions that were served up to 1.21 as beta versions, or in extensions. The backend
// of an Ingress has other names there (CV-03).
func networkingVersions() []*rules.Version {
	v1, beta, extensions := networkingv1.SchemeGroupVersion, networkingv1beta1.SchemeGroupVersion, extensionsv1beta1.SchemeGroupVersion
	ingresses := []*rules.Version{
		rules.VersionOf(beta.WithKind("Ingress"), v1.WithKind("Ingress"), defaultIngressV1beta1, ingressToHub, ingressFromHub),
		rules.VersionOf(extensions.WithKind("Ingress"), v1.WithKind("Ingress"),
			func(in *extensionsv1beta1.Ingress) {
				as := rules.Refit[*networkingv1beta1.Ingress](in)
				defaultIngressV1beta1(as)
				*in = *rules.Refit[*extensionsv1beta1.Ingress](as)
			},
			func(in *extensionsv1beta1.Ingress) *networkingv1.Ingress {
				return ingressToHub(rules.Refit[*networkingv1beta1.Ingress](in))
			},
			func(in *networkingv1.Ingress) *extensionsv1beta1.Ingress {
				return rules.Refit[*extensionsv1beta1.Ingress](ingressFromHub(in))
			}),
	}
	for _, v := range ingresses {
		v.Complete, v.CompleteHub = fromHubWithoutPorts, toHubWithoutPorts
	}
	return append(ingresses, rules.Reshape[*extensionsv1beta1.NetworkPolicy](extensions, v1, "NetworkPolicy", nil))
}

// In v1 the type of a path is required. In earlier versions it had a default.
func defaultIngressV1beta1(in *networkingv1beta1.Ingress) {
	for _, rule := range in.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for i := range rule.HTTP.Paths {
			rules.SetDefault(&rule.HTTP.Paths[i].PathType, networkingv1beta1.PathTypeImplementationSpecific)
		}
	}
}

func ingressToHub(in *networkingv1beta1.Ingress) *networkingv1.Ingress {
	// Fields with the same names are converted by Refit.
	out := rules.Refit[*networkingv1.Ingress](in)
	out.Spec.DefaultBackend = backendToHub(in.Spec.Backend)
	for i, rule := range in.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for j := range rule.HTTP.Paths {
			out.Spec.Rules[i].HTTP.Paths[j].Backend = *backendToHub(&rule.HTTP.Paths[j].Backend)
		}
	}
	return out
}

func ingressFromHub(in *networkingv1.Ingress) *networkingv1beta1.Ingress {
	out := rules.Refit[*networkingv1beta1.Ingress](in)
	out.Spec.Backend = backendFromHub(in.Spec.DefaultBackend)
	for i, rule := range in.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for j := range rule.HTTP.Paths {
			out.Spec.Rules[i].HTTP.Paths[j].Backend = *backendFromHub(&rule.HTTP.Paths[j].Backend)
		}
	}
	return out
}

func backendToHub(in *networkingv1beta1.IngressBackend) *networkingv1.IngressBackend {
	if in == nil {
		return nil
	}
	out := &networkingv1.IngressBackend{Resource: in.Resource}
	if in.ServiceName == "" && in.ServicePort == (intstr.IntOrString{}) {
		return out
	}
	out.Service = &networkingv1.IngressServiceBackend{Name: in.ServiceName}
	if in.ServicePort.Type == intstr.String {
		out.Service.Port.Name = in.ServicePort.StrVal
	} else {
		out.Service.Port.Number = in.ServicePort.IntVal
	}
	return out
}

func backendFromHub(in *networkingv1.IngressBackend) *networkingv1beta1.IngressBackend {
	if in == nil {
		return nil
	}
	out := &networkingv1beta1.IngressBackend{Resource: in.Resource}
	if s := in.Service; s != nil {
		out.ServiceName = s.Name
		out.ServicePort = intstr.FromInt32(s.Port.Number)
		if s.Port.Name != "" {
			out.ServicePort = intstr.FromString(s.Port.Name)
		}
	}
	return out
}

// What stands for a servicePort that is the empty string, where the Go types cannot say so. No valid ingress has one, so
// neither is ever stored (CV-03).
const (
	// emptyPortName is the name of the port in the hub. Up to 1.18, the server has v1beta1 as its hub.
	emptyPortName = "\"\""
	// emptyService is StrVal of a port that is the number 0. Since 1.19, the hub has an empty service, which v1beta1 does not
	// have: a servicePort that is 0 in the request is no service.
	emptyService = "service"
)

func toHubWithoutPorts(hub, obj runtime.Object, r *kubeversion.Release) {
	backends := backendsOf(hub.(*networkingv1.Ingress))
	for i, port := range portsOf(obj) {
		switch {
		case port.StrVal == emptyService && port.Type == intstr.Int:
			backends[i].Service = &networkingv1.IngressServiceBackend{}
		case *port == intstr.FromString("") && !r.Has(kubeversion.IngressRulesIndexed):
			backends[i].Service.Port.Name = emptyPortName
		}
	}
}

func fromHubWithoutPorts(obj, hub runtime.Object, r *kubeversion.Release) {
	ports := portsOf(obj)
	for i, backend := range backendsOf(hub.(*networkingv1.Ingress)) {
		switch s := backend.Service; {
		case s == nil:
		case s.Port.Name == emptyPortName:
			*ports[i] = intstr.FromString("")
		case *s == (networkingv1.IngressServiceBackend{}):
			ports[i].StrVal = emptyService
		}
	}
}

// backendsOf returns all backends of an ingress.
func backendsOf(in *networkingv1.Ingress) (backends []*networkingv1.IngressBackend) {
	if in.Spec.DefaultBackend != nil {
		backends = append(backends, in.Spec.DefaultBackend)
	}
	for _, rule := range in.Spec.Rules {
		if rule.HTTP != nil {
			for i := range rule.HTTP.Paths {
				backends = append(backends, &rule.HTTP.Paths[i].Backend)
			}
		}
	}
	return backends
}

// portsOf returns the ports of all backends of an ingress in another version. The Go types of these versions only have the
// names of their fields in common.
func portsOf(obj runtime.Object) (ports []*intstr.IntOrString) {
	add := func(backend reflect.Value) {
		ports = append(ports, backend.FieldByName("ServicePort").Addr().Interface().(*intstr.IntOrString))
	}
	spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
	if backend := spec.FieldByName("Backend"); !backend.IsNil() {
		add(backend.Elem())
	}
	for _, rule := range spec.FieldByName("Rules").Seq2() {
		http := rule.FieldByName("HTTP")
		if http.IsNil() {
			continue
		}
		for _, path := range http.Elem().FieldByName("Paths").Seq2() {
			add(path.FieldByName("Backend"))
		}
	}
	return ports
}
