package objects

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/removed"
)

// Kinds that were never more than an alpha, or that became another kind of the same name, are
// checked as the last release that had them did: kubernetes/kubernetes:pkg/apis.

// auditSink follows pkg/apis/auditregistration of 1.17.
var auditSink = rules[*removed.AuditSink]{
	name: dnsSubdomain,
	spec: func(s *removed.AuditSink) any { return &s.Spec },
	defaults: func(s *removed.AuditSink) {
		w := &s.Spec.Webhook
		setDefault(&w.Throttle, removed.AuditThrottle{})
		setDefault(&w.Throttle.QPS, 10)
		setDefault(&w.Throttle.Burst, 15)
		if w.ClientConfig.Service != nil {
			setDefault(&w.ClientConfig.Service.Port, 443)
		}
	},
	validate: validateAuditSink,
}

var (
	auditLevels = []string{"Metadata", "None", "Request", "RequestResponse"}
	auditStages = []string{"Panic", "RequestReceived", "ResponseComplete", "ResponseStarted"}
)

func validateAuditSink(s *removed.AuditSink, _ request) field.ErrorList {
	errs := auditPolicy(s.Spec.Policy, specPath.Child("policy"))
	at, w := specPath.Child("webhook"), s.Spec.Webhook
	if t := w.Throttle; t != nil {
		errs = append(errs, unless(t.QPS == nil || *t.QPS > 0, at.Child("throttle", "qps"), t.QPS, "qps must be a positive number")...)
		errs = append(errs, unless(t.Burst == nil || *t.Burst > 0, at.Child("throttle", "burst"), t.Burst, "burst must be a positive number")...)
	}
	c := admissionregistrationv1.WebhookClientConfig{URL: w.ClientConfig.URL, CABundle: w.ClientConfig.CABundle}
	if s := w.ClientConfig.Service; s != nil {
		service := admissionregistrationv1.ServiceReference(*s)
		c.Service = &service
	}
	return append(errs, validateClientConfig(c, at.Child("clientConfig"))...)
}

func auditPolicy(p removed.AuditPolicy, at *field.Path) field.ErrorList {
	if p.Level != "None" && len(p.Stages) == 0 {
		return field.ErrorList{field.Required(at.Child("stages"), "")}
	}
	var errs field.ErrorList
	for i, stage := range p.Stages {
		errs = append(errs, unless(slices.Contains(auditStages, stage), at.Child("stages").Index(i), stage, "allowed stages are "+strings.Join(auditStages, ","))...)
	}
	if p.Level == "" {
		return append(errs, field.Required(at.Child("level"), ""))
	}
	return append(errs, oneOf(&p.Level, auditLevels, at.Child("level"))...)
}

// clusterCIDR follows pkg/apis/networking of 1.28.
var clusterCIDR = rules[*removed.ClusterCIDR]{
	name:     dnsLabel,
	validate: validateClusterCIDR,
	validateUpdate: func(c, old *removed.ClusterCIDR, _ request) field.ErrorList {
		is, was := &c.Spec, &old.Spec
		errs := validation.ValidateImmutableField(is.NodeSelector, was.NodeSelector, specPath.Child("nodeSelector"))
		errs = append(errs, validation.ValidateImmutableField(is.PerNodeHostBits, was.PerNodeHostBits, specPath.Child("perNodeHostBits"))...)
		errs = append(errs, validation.ValidateImmutableField(is.IPv4, was.IPv4, specPath.Child("ipv4"))...)
		return append(errs, validation.ValidateImmutableField(is.IPv6, was.IPv6, specPath.Child("ipv6"))...)
	},
}

func validateClusterCIDR(c *removed.ClusterCIDR, _ request) field.ErrorList {
	var errs field.ErrorList
	if c.Spec.NodeSelector != nil {
		errs = nodeSelector(c.Spec.NodeSelector, true, specPath.Child("nodeSelector"))
	}
	if c.Spec.IPv4 == "" && c.Spec.IPv6 == "" {
		return append(errs, field.Required(specPath, "one or both of `ipv4` and `ipv6` must be specified"))
	}
	for _, family := range []struct{ name, cidr string }{{"IPv4", c.Spec.IPv4}, {"IPv6", c.Spec.IPv6}} {
		if family.cidr != "" {
			errs = append(errs, clusterRange(family.name, family.cidr, c.Spec.PerNodeHostBits)...)
		}
	}
	return errs
}

const minHostBits = 4

func clusterRange(family, cidr string, hostBits int32) field.ErrorList {
	at := specPath.Child(family)
	ip, network, err := netutils.ParseCIDRSloppy(cidr)
	if err != nil {
		return field.ErrorList{field.Invalid(at, cidr, "must be a valid CIDR: "+cidr)}
	}
	errs := unless(netutils.IsIPv6(ip) == (family == "IPv6"), at, cidr, "must be a valid "+family+" CIDR")
	ones, _ := network.Mask.Size()
	size := map[string]int{"IPv4": 32, "IPv6": 128}[family]
	bits := specPath.Child("perNodeHostBits")
	errs = append(errs, unless(hostBits >= minHostBits, bits, hostBits, fmt.Sprintf("must be greater than or equal to %d", minHostBits))...)
	return append(errs, unless(int(hostBits) <= size-ones, bits, hostBits, fmt.Sprintf("must be less than or equal to %d", size-ones))...)
}

// storageVersionMigrationV1alpha1 follows pkg/apis/storagemigration of 1.30, but for the
// conditions of its status.
var storageVersionMigrationV1alpha1 = rules[*removed.StorageVersionMigration]{
	name:        dnsSubdomain,
	status:      func(m *removed.StorageVersionMigration) any { return &m.Status },
	statusAlone: true,
	validate: func(m *removed.StorageVersionMigration, _ request) field.ErrorList {
		at, r := specPath.Child("resource"), m.Spec.Resource
		var errs field.ErrorList
		if r.Resource == "" {
			errs = append(errs, field.Required(at.Child("resource"), "resource is required"))
		}
		if r.Version == "" {
			errs = append(errs, field.Required(at.Child("version"), "version is required"))
		}
		return errs
	},
	validateUpdate: func(m, old *removed.StorageVersionMigration, r request) field.ErrorList {
		if r.Subresource == "status" {
			is, was := m.Status.ResourceVersion, old.Status.ResourceVersion
			return unless(was == "" || is == was, field.NewPath("status", "resourceVersion"), is, "resourceVersion cannot be updated")
		}
		is, was := m.Spec.Resource, old.Spec.Resource
		const message = "field is immutable"
		errs := unless(is.Group == was.Group, field.NewPath("group"), is.Group, message)
		errs = append(errs, unless(is.Version == was.Version, field.NewPath("version"), is.Version, message)...)
		return append(errs, unless(is.Resource == was.Resource, field.NewPath("resource"), is.Resource, message)...)
	},
}

// leaseCandidateV1alpha1 follows pkg/apis/coordination of 1.31.
var leaseCandidateV1alpha1 = rules[*removed.LeaseCandidate]{
	name:      func(name string, _ bool) []string { return utilvalidation.IsConfigMapKey(name) },
	behaviour: Behaviour{CreateOnUpdate: true},
	validate: func(c *removed.LeaseCandidate, _ request) field.ErrorList {
		var errs field.ErrorList
		if c.Spec.LeaseName == "" {
			errs = append(errs, field.Required(specPath.Child("leaseName"), ""))
		}
		for _, version := range []struct{ name, value string }{{"emulationVersion", c.Spec.EmulationVersion}, {"binaryVersion", c.Spec.BinaryVersion}} {
			if version.value != "" {
				errs = append(errs, unless(semver().MatchString(version.value), specPath.Child(version.name), version.value, "must be a valid semantic version")...)
			}
		}
		return errs
	},
	validateUpdate: func(c, old *removed.LeaseCandidate, _ request) field.ErrorList {
		return validation.ValidateImmutableField(c.Spec.LeaseName, old.Spec.LeaseName, specPath.Child("leaseName"))
	},
}

// workloadV1alpha1 follows pkg/apis/scheduling of 1.35.
var workloadV1alpha1 = rules[*removed.Workload]{
	name:     dnsSubdomain,
	validate: validateWorkloadV1alpha1,
	validateUpdate: func(w, old *removed.Workload, _ request) field.ErrorList {
		var errs field.ErrorList
		if old.Spec.ControllerRef != nil {
			errs = immutableInternal(w.Spec.ControllerRef, old.Spec.ControllerRef, field.NewPath("controllerRef"))
		}
		return append(errs, immutableInternal(w.Spec.PodGroups, old.Spec.PodGroups, field.NewPath("podGroups"))...)
	},
}

const maxPodGroups = 8

func validateWorkloadV1alpha1(w *removed.Workload, _ request) field.ErrorList {
	var errs field.ErrorList
	if c, at := w.Spec.ControllerRef, specPath.Child("controllerRef"); c != nil {
		errs = subdomainIfGiven(at.Child("apiGroup"), c.APIGroup)
		errs = append(errs, pathName(at.Child("kind"), c.Kind)...)
		errs = append(errs, pathName(at.Child("name"), c.Name)...)
	}
	at := specPath.Child("podGroups")
	if len(w.Spec.PodGroups) == 0 {
		return append(errs, field.Required(at, "must have at least one item"))
	}
	seen := map[string]bool{}
	return append(errs, eachOf(w.Spec.PodGroups, maxPodGroups, at, func(g removed.WorkloadPodGroup, at *field.Path) field.ErrorList {
		errs := faults(at.Child("name"), g.Name, dns1123Label(g.Name))
		if seen[g.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), g.Name))
		}
		seen[g.Name] = true
		return append(errs, podGroupPolicy(g.Policy, at.Child("policy"))...)
	})...)
}

func podGroupPolicy(p removed.WorkloadPodGroupPolicy, at *field.Path) field.ErrorList {
	const one = "exactly one of `basic`, `gang` is required"
	switch {
	case p.Basic == nil && p.Gang == nil:
		return field.ErrorList{field.Required(at, one)}
	case p.Basic != nil && p.Gang != nil:
		return field.ErrorList{field.Invalid(at, "{`basic`, `gang`}", one+", but multiple fields are set")}
	case p.Gang != nil:
		return unless(p.Gang.MinCount > 0, at.Child("gang", "minCount"), int64(p.Gang.MinCount), "must be greater than zero")
	}
	return nil
}
