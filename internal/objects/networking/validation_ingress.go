// kubernetes/kubernetes:pkg/apis/networking/validation/validation.go

package networking

import (
	"fmt"
	"regexp"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const ingressClassAnnotation = "kubernetes.io/ingress.class"

var pathTypes = []string{string(networkingv1.PathTypeExact), string(networkingv1.PathTypeImplementationSpecific), string(networkingv1.PathTypePrefix)}

// An ingressCheck checks an ingress.
type ingressCheck struct {
	release *kubeversion.Release

	// What an update allows because the old ingress has it, or a request because of its version.
	anySecretName, anyWildcardRule bool

	serviceName validation.ValidateNameFunc
	beta        bool // errors name the fields of v1beta1
	former      bool // the rules are those of releases up to 1.18 (VI-01)
	typeless    bool // paths have no type
}

func newIngressCheck(r rules.Request) ingressCheck {
	beta := r.IsBeta()
	return ingressCheck{
		release:       r.Release,
		anySecretName: beta, anyWildcardRule: beta, beta: beta, // up to 1.18, there is no other version
		serviceName: rules.ServiceName(r),
		former:      !r.Release.Has(kubeversion.IngressRulesIndexed),
		typeless:    !r.Release.Has(kubeversion.IngressPathTypes),
	}
}

func validateIngress(i *networkingv1.Ingress, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(newIngressCheck(r).spec(&i.Spec))
	class, annotated := i.Annotations[ingressClassAnnotation]
	switch {
	case !annotated || i.Spec.IngressClassName == nil:
	case !r.Release.Has(kubeversion.IngressClassTwice):
		errs.Invalid(field.NewPath("annotations").Child(ingressClassAnnotation), class, "can not be set when the class field is also set")
	case class != *i.Spec.IngressClassName:
		errs.Invalid(field.NewPath("annotations").Child(ingressClassAnnotation), class, "must match `ingressClassName` when both are specified")
	}
	return errs.List()
}

func validateIngressUpdate(i, old *networkingv1.Ingress, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return ingressStatus(i, old, r)
	}
	c := newIngressCheck(r)
	for _, t := range old.Spec.TLS {
		c.anySecretName = c.anySecretName || len(rules.SubdomainIfGiven(nil, t.SecretName)) > 0
	}
	for _, rule := range old.Spec.Rules {
		wildcard := strings.Contains(rule.Host, "*")
		c.anyWildcardRule = c.anyWildcardRule || wildcard && len(ingressCheck{serviceName: rules.DNS1035Label}.rule(&rule, nil)) > 0
	}
	for _, name := range keptServices(old, r.Release) {
		if len(rules.DNSLabel(name, false)) == 0 {
			if len(rules.DNS1035Label(name, false)) > 0 {
				c.serviceName = rules.DNSLabel
			}
		}
	}
	var errs rules.Errors
	if r.Release.Has(kubeversion.IngressesCheckedOnce) {
		errs.Add(rules.ValidateNewMetadata(i, r, rules.DNSSubdomain))
		errs.Add(rules.ValidateFinalizers(i))
	}
	errs.Add(c.spec(&i.Spec))
	return errs.List()
}

// keptServices returns the names of services in an ingress that an update may keep even if names of services have stricter
// rules.
func keptServices(i *networkingv1.Ingress, r *kubeversion.Release) []string {
	if !r.Has(kubeversion.RelaxedServiceNamesKept) {
		return nil
	}
	var names []string
	note := func(b *networkingv1.IngressBackend) {
		if b != nil && b.Service != nil {
			names = append(names, b.Service.Name)
		}
	}
	if r.Has(kubeversion.RelaxedDefaultBackendsKept) {
		note(i.Spec.DefaultBackend)
	}
	for _, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for _, p := range rule.HTTP.Paths {
			note(&p.Backend)
		}
	}
	return names
}

func ingressStatus(i, old *networkingv1.Ingress, r rules.Request) field.ErrorList {
	var errs rules.Errors
	var known []string
	for _, in := range old.Status.LoadBalancer.Ingress {
		known = append(known, in.IP)
	}
	for n, in := range i.Status.LoadBalancer.Ingress {
		path := field.NewPath("status", "loadBalancer", "ingress").Index(n)
		if in.IP != "" {
			errs.Add(rules.BalancerAddress(path.Child("ip"), in.IP, known, r))
		}
		errs.Add(rules.SubdomainIfGiven(path.Child("hostname"), in.Hostname))
		errs.Add(rules.NotAddress(path.Child("hostname"), in.Hostname))
	}
	return errs.List()
}

func (c ingressCheck) spec(s *networkingv1.IngressSpec) field.ErrorList {
	var errs rules.Errors
	if len(s.Rules) == 0 && s.DefaultBackend == nil {
		errs.Invalid(rules.SpecPath, s.Rules, fmt.Sprintf("either `%s` or `rules` must be specified", c.named("defaultBackend", "backend")))
	}
	if s.DefaultBackend != nil {
		errs.Add(c.backend(s.DefaultBackend, rules.SpecPath.Child(c.named("defaultBackend", "backend"))))
	}
	for i, rule := range s.Rules {
		path := rules.SpecPath.Child("rules").Index(i)
		if rule.Host != "" {
			errs.Add(rules.NotAddress(path.Child("host"), rule.Host))
			errs.Add(ingressHost(path.Child("host"), rule.Host))
		}
		if c.former {
			path = rules.SpecPath.Child("rules").Index(0) // whichever it is
		}
		if !strings.Contains(rule.Host, "*") || !c.anyWildcardRule {
			errs.Add(c.rule(&rule, path))
		}
	}
	for i, t := range s.TLS {
		path := rules.SpecPath.Child("tls").Index(i)
		for j, host := range t.Hosts {
			at := path.Child("hosts").Index(j)
			if c.former {
				at = rules.SpecPath.Child("tls").Index(j).Child("hosts")
			}
			errs.Add(ingressHost(at, host))
		}
		if !c.anySecretName {
			errs.Add(rules.SubdomainIfGiven(path.Child("secretName"), t.SecretName))
		}
	}
	if s.IngressClassName != nil {
		errs.Add(rules.Faults(rules.SpecPath.Child("ingressClassName"), *s.IngressClassName, rules.DNSSubdomain(*s.IngressClassName, false)))
	}
	return errs.List()
}

func ingressHost(path *field.Path, host string) field.ErrorList {
	if strings.Contains(host, "*") {
		return rules.Faults(path, host, utilvalidation.IsWildcardDNS1123Subdomain(host))
	}
	return rules.Faults(path, host, rules.DNS1123Subdomain(host))
}

func (c ingressCheck) rule(r *networkingv1.IngressRule, path *field.Path) field.ErrorList {
	if r.HTTP == nil {
		return nil
	}
	http := path.Child("http")
	path = http.Child("paths")
	if len(r.HTTP.Paths) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs rules.Errors
	for i, p := range r.HTTP.Paths {
		if c.typeless {
			errs.Add(typelessPath(p.Path, path.Index(i).Child("path")))
			errs.Add(c.backend(&p.Backend, http.Child("backend")))
			continue
		}
		if p.PathType == nil {
			errs.Required(path.Index(i).Child("pathType"), "pathType must be specified")
			continue
		}
		errs.Add(rules.OneOf(p.PathType, pathTypes, path.Index(i).Child("pathType")))
		errs.Add(ingressPath(p.Path, *p.PathType, path.Index(i).Child("path")))
		errs.Add(c.backend(&p.Backend, path.Index(i).Child("backend")))
	}
	return errs.List()
}

func ingressPath(p string, t networkingv1.PathType, path *field.Path) field.ErrorList {
	var errs rules.Errors
	literal := t == networkingv1.PathTypeExact || t == networkingv1.PathTypePrefix
	if literal || t == networkingv1.PathTypeImplementationSpecific && p != "" {
		if !strings.HasPrefix(p, "/") {
			errs.Invalid(path, p, "must be an absolute path")
		}
	}
	if !literal {
		return errs.List()
	}
	for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
		if strings.Contains(p, part) {
			errs.Invalid(path, p, fmt.Sprintf("must not contain '%s'", part))
		}
	}
	for _, end := range []string{"/..", "/."} {
		if strings.HasSuffix(p, end) {
			errs.Invalid(path, p, fmt.Sprintf("cannot end with '%s'", end))
		}
	}
	return errs.List()
}

// typelessPath checks a path that is a regular expression.
func typelessPath(p string, at *field.Path) field.ErrorList {
	if p == "" {
		return nil
	}
	var errs rules.Errors
	errs.Add(rules.Unless(strings.HasPrefix(p, "/"), at, p, "must be an absolute path"))
	_, err := regexp.CompilePOSIX(p)
	errs.Add(rules.Unless(err == nil, at, p, "must be a valid regex"))
	return errs.List()
}

// named returns the name of a field in the version of the request.
func (c ingressCheck) named(name, inBeta string) string {
	if c.beta {
		return inBeta
	}
	return name
}

// formerBackend is backend up to 1.18.
func (c ingressCheck) formerBackend(b *networkingv1.IngressBackend, path *field.Path) field.ErrorList {
	var service networkingv1.IngressServiceBackend
	if b.Service != nil {
		service = *b.Service
	}
	errs := rules.Given(path.Child("serviceName"), service.Name, func(n string) []string { return c.serviceName(n, false) })
	if service.Name == "" {
		return errs
	}
	if name := service.Port.Name; name != "" {
		if name == emptyPortName {
			name = ""
		}
		return append(errs, rules.Faults(path.Child("servicePort"), name, utilvalidation.IsValidPortName(name))...)
	}
	number := int(service.Port.Number)
	return append(errs, rules.Faults(path.Child("servicePort"), number, utilvalidation.IsValidPortNum(number))...)
}

func (c ingressCheck) backend(b *networkingv1.IngressBackend, path *field.Path) field.ErrorList {
	switch {
	case b.Resource != nil && b.Service != nil:
		return field.ErrorList{field.Invalid(path, "", "cannot set both resource and service backends")}
	case b.Resource != nil && c.former:
		return field.ErrorList{field.Forbidden(path.Child("resource"), "not supported; only service backends are supported in this version")}
	case c.former:
		return c.formerBackend(b, path)
	case b.Resource != nil:
		return localReference(b.Resource.APIGroup, b.Resource.Kind, b.Resource.Name, path.Child("resource"), c.release)
	case b.Service == nil:
		return field.ErrorList{field.Invalid(path, "", "resource or service backend is required")}
	}
	nameAt, numberAt, portNameAt := path.Child("service", "name"), path.Child("service", "port", "number"), path.Child("service", "port", "name")
	if c.beta {
		nameAt, numberAt, portNameAt = path.Child("serviceName"), path.Child("servicePort"), path.Child("servicePort")
	}
	port := b.Service.Port
	var errs rules.Errors
	errs.Add(rules.Given(nameAt, b.Service.Name, func(n string) []string { return c.serviceName(n, false) }))
	switch {
	case port.Name != "" && port.Number != 0:
		errs.Invalid(path, "", "cannot set both port name & port number")
		return errs.List()
	case port.Name != "":
		errs.Add(rules.Faults(portNameAt, port.Name, utilvalidation.IsValidPortName(port.Name)))
		return errs.List()
	case port.Number != 0:
		errs.Add(rules.Faults(numberAt, port.Number, utilvalidation.IsValidPortNum(int(port.Number))))
		return errs.List()
	}
	errs.Required(path, "port name or number is required")
	return errs.List()
}

func localReference(group *string, kind, name string, path *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	part := func(name, value string) {
		if value == "" && !r.Has(kubeversion.ReferencesRequiredTersely) {
			errs.Required(path.Child(name), name+" is required")
			return
		}
		errs.Add(rules.PathName(path.Child(name), value))
	}
	if group != nil {
		errs.Add(rules.Faults(path.Child("apiGroup"), *group, rules.DNS1123Subdomain(*group)))
	}
	part("kind", kind)
	part("name", name)
	return errs.List()
}

func ingressWarnings(i, old *networkingv1.Ingress, r rules.Request) []string {
	if r.Subresource == "status" {
		w := &pod.Warner{}
		for j, in := range i.Status.LoadBalancer.Ingress {
			w.Balancer(in.IP, j, r)
		}
		return w.Texts
	}
	if _, annotated := i.Annotations[ingressClassAnnotation]; old != nil || !annotated || i.Spec.IngressClassName != nil {
		return nil
	}
	return []string{fmt.Sprintf("annotation %q is deprecated, please use 'spec.ingressClassName' instead", ingressClassAnnotation)}
}

var parameterScopes = []string{networkingv1.IngressClassParametersReferenceScopeCluster, networkingv1.IngressClassParametersReferenceScopeNamespace}

func validateIngressClass(c *networkingv1.IngressClass, r rules.Request) field.ErrorList {
	path := rules.SpecPath.Child("controller")
	var errs rules.Errors
	switch {
	case c.Spec.Controller == "":
		errs.Required(path, "")
	default:
		if len(c.Spec.Controller) > 250 {
			errs.TooLong(path, "", 250)
		}
		errs.Add(utilvalidation.IsDomainPrefixedPath(path, c.Spec.Controller))
	}
	p := c.Spec.Parameters
	if p == nil {
		return errs.List()
	}
	path = rules.SpecPath.Child("parameters")
	errs.Add(localReference(p.APIGroup, p.Kind, p.Name, path, r.Release))
	if p.Scope == nil && !r.Release.Has(kubeversion.IngressClassScopes) && p.Namespace == nil {
		return errs.List()
	}
	if p.Scope == nil {
		errs.Required(path.Child("scope"), "")
		return errs.List()
	}
	errs.Add(rules.OneOf(p.Scope, parameterScopes, path.Child("scope")))
	path = path.Child("namespace")
	switch {
	case *p.Scope == networkingv1.IngressClassParametersReferenceScopeNamespace && p.Namespace == nil:
		errs.Required(path, "`parameters.scope` is set to 'Namespace'")
	case *p.Scope == networkingv1.IngressClassParametersReferenceScopeNamespace:
		errs.Add(rules.Faults(path, *p.Namespace, rules.NamespaceName(*p.Namespace, false)))
	case *p.Scope == networkingv1.IngressClassParametersReferenceScopeCluster && p.Namespace != nil:
		errs.Forbidden(path, "`parameters.scope` is set to 'Cluster'")
	}
	return errs.List()
}

func validateIngressClassUpdate(c, old *networkingv1.IngressClass, _ rules.Request) field.ErrorList {
	return validation.ValidateImmutableField(c.Spec.Controller, old.Spec.Controller, rules.SpecPath.Child("controller"))
}
