package rules

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A declaredRule is one that is declared with a type and takes the place of what is written: a field
// that is required, in no more words, or one that may not change, whose value is not shown.
type declaredRule struct {
	path      string // without indexes
	immutable bool
	shortName bool // counted in bytes
}

// declaredRules are those that are enforced since [kubeversion.DeclaredErrors], where what they say
// differs from what was written: +k8s:beta in k8s.io/api.
var declaredRules = map[schema.GroupKind][]declaredRule{
	{Kind: "ReplicationController"}:                                                   {{path: "spec.replicas"}},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:                           {{path: "spec.maxReplicas"}},
	{Group: "batch", Kind: "CronJob"}:                                                 {{path: "spec.schedule"}},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:                                {{path: "endpoints.addresses"}, {path: "addressType"}, {path: "addressType", immutable: true}},
	{Group: "networking.k8s.io", Kind: "IPAddress"}:                                   {{path: "spec.parentRef"}, {path: "spec.parentRef.resource"}, {path: "spec.parentRef.name"}, {path: "spec.parentRef", immutable: true}},
	{Group: "networking.k8s.io", Kind: "IngressClass"}:                                {{path: "spec.parameters.kind"}, {path: "spec.parameters.name"}},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:                               {{path: "spec.ingress.from.ipBlock.cidr"}, {path: "spec.egress.to.ipBlock.cidr"}},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                                      {{path: "handler"}, {path: "handler", immutable: true}, {path: "handler", shortName: true}},
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                                {{path: "rules.verbs"}},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:                         {{path: "rules.verbs"}},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:                         {{path: "roleRef.name"}, {path: "subjects.name"}},
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                                   {{path: "provisioner"}, {path: "provisioner", immutable: true}, {path: "parameters", immutable: true}, {path: "reclaimPolicy", immutable: true}, {path: "volumeBindingMode", immutable: true}},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:                               {{path: "spec", immutable: true}},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"}: {{path: "spec.policyName"}, {path: "spec.validationActions"}},
}

// Declared is what is said of an object in a release that enforces the rules declared with its type:
// each error once, since the server compares what is written with what is declared.
func Declared(kind schema.GroupKind, errs field.ErrorList, r *kubeversion.Release) field.ErrorList {
	if len(errs) == 0 || !r.Has(kubeversion.DeclaredErrors) {
		return errs
	}
	seen := map[string]bool{}
	var once field.ErrorList
	for _, err := range errs {
		said := declared(kind, *err)
		if text := said.Error(); !seen[text] {
			seen[text] = true
			once = append(once, &said)
		}
	}
	return once
}

// Supersede adds what declared rules found, which takes the place of what was found of the same
// kind in the same field.
func Supersede(written, declared field.ErrorList) field.ErrorList {
	errs := slices.DeleteFunc(written, func(w *field.Error) bool {
		return slices.ContainsFunc(declared, func(d *field.Error) bool { return d.Type == w.Type && d.Field == w.Field && d.Detail == w.Detail })
	})
	return append(errs, declared...)
}

func declared(kind schema.GroupKind, err field.Error) field.Error {
	for _, rule := range declaredRules[kind] {
		if withoutIndexes(err.Field) != rule.path {
			continue
		}
		switch {
		case rule.immutable:
			if err.Type == field.ErrorTypeInvalid && err.Detail == "field is immutable" {
				err.BadValue = nil
			}
		case rule.shortName:
			if strings.HasPrefix(err.Detail, "must be no more than") {
				err.Detail = strings.Replace(err.Detail, "characters", "bytes", 1)
			}
		case err.Type == field.ErrorTypeRequired:
			err.Detail = ""
		}
	}
	return err
}

// withoutIndexes leaves the items of lists out of a path.
func withoutIndexes(path string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(path, "[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, path, _ = strings.Cut(rest, "]")
	}
}
