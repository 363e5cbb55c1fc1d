// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func (k *podCheck) probes(c *corev1.Container, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if p := c.LivenessProbe; p != nil {
		at := rules.Child(at, "livenessProbe")
		errs.Add(validateProbe(p, at))
		errs.Add(succeedsOnce(p, at))
	}
	if p := c.ReadinessProbe; p != nil {
		at := rules.Child(at, "readinessProbe")
		errs.Add(validateProbe(p, at))
		if s := p.TerminationGracePeriodSeconds; s != nil {
			errs.Invalid(rules.Child(at, "terminationGracePeriodSeconds"), *s, "must not be set for readinessProbes")
		}
	}
	if p := c.StartupProbe; p != nil {
		at := rules.Child(at, "startupProbe")
		errs.Add(validateProbe(p, at))
		if k.release.Has(kubeversion.StartupProbesRepeated) && !k.release.Has(kubeversion.ContainersCheckedApart) {
			errs.Add(validateProbe(p, at)) // by mistake
		}
		errs.Add(succeedsOnce(p, at))
	}
	return errs.List()
}

func succeedsOnce(p *corev1.Probe, at *field.Path) field.ErrorList {
	return rules.Unless(p.SuccessThreshold == 1, rules.Child(at, "successThreshold"), p.SuccessThreshold, "must be 1")
}

func validateProbe(p *corev1.Probe, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(handler{exec: p.Exec, http: p.HTTPGet, tcp: p.TCPSocket, grpc: p.GRPC}.validate(at))
	errs.Add(rules.NotNegative(p.InitialDelaySeconds, rules.Child(at, "initialDelaySeconds")))
	errs.Add(rules.NotNegative(p.TimeoutSeconds, rules.Child(at, "timeoutSeconds")))
	errs.Add(rules.NotNegative(p.PeriodSeconds, rules.Child(at, "periodSeconds")))
	errs.Add(rules.NotNegative(p.SuccessThreshold, rules.Child(at, "successThreshold")))
	errs.Add(rules.NotNegative(p.FailureThreshold, rules.Child(at, "failureThreshold")))
	if s := p.TerminationGracePeriodSeconds; s != nil && *s <= 0 {
		errs.Invalid(rules.Child(at, "terminationGracePeriodSeconds"), *s, "must be greater than 0")
	}
	return errs.List()
}

func (k *podCheck) lifecycle(l *corev1.Lifecycle, container *field.Path) field.ErrorList {
	if l == nil {
		return nil
	}
	at := rules.Child(container, "lifecycle")
	var errs rules.Errors
	check := func(h *corev1.LifecycleHandler, at *field.Path) {
		if h != nil {
			errs.Add(handler{exec: h.Exec, http: h.HTTPGet, tcp: h.TCPSocket, sleep: h.Sleep, sleeps: k.sleeps()}.validate(at))
		}
	}
	check(l.PostStart, rules.Child(at, "postStart"))
	check(l.PreStop, rules.Child(at, "preStop"))
	if l.StopSignal != nil {
		errs.Add(k.stopSignal(l.StopSignal, rules.Child(at, "stopSignal")))
	}
	return errs.List()
}

// stopSignal requires a signal of the pod's operating system, which has to be specified.
func (k *podCheck) stopSignal(s *corev1.Signal, at *field.Path) field.ErrorList {
	switch os := k.spec.OS; {
	case os == nil:
		return field.ErrorList{field.Forbidden(at, "may not be set for containers with empty `spec.os.name`")}
	case os.Name == corev1.Windows:
		return rules.OneOf(s, []string{"SIGKILL", "SIGTERM"}, at)
	case os.Name == corev1.Linux:
		return rules.OneOf(s, linuxSignals, at)
	}
	return nil
}

// linuxSignals are sorted as messages show them.
var linuxSignals = []string{
	"SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT",
	"SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", "SIGRTMAX-11",
	"SIGRTMAX-12", "SIGRTMAX-13", "SIGRTMAX-14", "SIGRTMAX-2", "SIGRTMAX-3", "SIGRTMAX-4", "SIGRTMAX-5", "SIGRTMAX-6",
	"SIGRTMAX-7", "SIGRTMAX-8", "SIGRTMAX-9", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12",
	"SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2", "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6",
	"SIGRTMIN+7", "SIGRTMIN+8", "SIGRTMIN+9", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP",
	"SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ",
}

// A handler is the common part of probes and lifecycle hooks: one way to reach a container.
type handler struct {
	exec   *corev1.ExecAction
	http   *corev1.HTTPGetAction
	tcp    *corev1.TCPSocketAction
	grpc   *corev1.GRPCAction
	sleep  *corev1.SleepAction
	sleeps sleepRule
}

// A sleepRule limits how long a container may sleep before it stops.
type sleepRule struct {
	least int64
	most  *int64 // nil if it is not checked
	words string // the message for values out of range; %d is the maximum
}

func (k *podCheck) sleeps() sleepRule {
	rule := sleepRule{1, k.spec.TerminationGracePeriodSeconds, "must be greater than 0 and less than terminationGracePeriodSeconds (%d)"}
	switch {
	case k.release.Has(kubeversion.ZeroSleep):
		rule.least, rule.words = 0, "must be non-negative and less than terminationGracePeriodSeconds (%d)"
	case k.release.Has(kubeversion.ZeroSleepHint):
		rule.words += ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
	}
	return rule
}

func (h handler) validate(at *field.Path) field.ErrorList {
	var errs rules.Errors
	n := 0
	one := func(name string, set bool, check func(at *field.Path) field.ErrorList) {
		switch {
		case !set:
		case n > 0:
			errs.Forbidden(rules.Child(at, name), "may not specify more than 1 handler type")
		default:
			n++
			errs.Add(check(rules.Child(at, name)))
		}
	}
	one("exec", h.exec != nil, func(at *field.Path) field.ErrorList {
		if len(h.exec.Command) == 0 {
			return field.ErrorList{field.Required(rules.Child(at, "command"), "")}
		}
		return nil
	})
	one("httpGet", h.http != nil, func(at *field.Path) field.ErrorList { return validateHTTPGet(h.http, at) })
	one("tcpSocket", h.tcp != nil, func(at *field.Path) field.ErrorList { return portOrName(h.tcp.Port, rules.Child(at, "port")) })
	one("grpc", h.grpc != nil, func(at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(portNumber(h.grpc.Port, rules.Child(at, "port")))
		if mode := h.grpc.Mode; mode != nil {
			errs.Add(rules.Choice(*mode, rules.Child(at, "mode"), corev1.GRPCProbeModePlaintext, corev1.GRPCProbeModeTLS))
		}
		return errs.List()
	})
	one("sleep", h.sleep != nil, func(at *field.Path) field.ErrorList {
		if rule := h.sleeps; rule.most != nil && (h.sleep.Seconds < rule.least || h.sleep.Seconds > *rule.most) {
			return field.ErrorList{field.Invalid(at, h.sleep.Seconds, fmt.Sprintf(rule.words, *rule.most))}
		}
		return nil
	})
	if n == 0 {
		errs.Required(at, "must specify a handler type")
	}
	return errs.List()
}

func validateHTTPGet(h *corev1.HTTPGetAction, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if h.Path == "" {
		errs.Required(rules.Child(at, "path"), "")
	}
	errs.Add(portOrName(h.Port, rules.Child(at, "port")))
	errs.Add(rules.Choice(h.Scheme, rules.Child(at, "scheme"), corev1.URISchemeHTTP, corev1.URISchemeHTTPS))
	for _, header := range h.HTTPHeaders {
		errs.Add(rules.Faults(rules.Child(at, "httpHeaders"), header.Name, utilvalidation.IsHTTPHeaderName(header.Name)))
	}
	if h.Protocol == nil {
		return errs.List()
	}
	switch p := *h.Protocol; {
	case p != corev1.HTTPProtocolHTTP2:
		errs.Add(rules.Choice(p, rules.Child(at, "protocol"), corev1.HTTPProtocolHTTP1, corev1.HTTPProtocolHTTP2))
	case h.Scheme != corev1.URISchemeHTTP:
		errs.Invalid(rules.Child(at, "protocol"), p, "is only supported with HTTP (H2C)")
	case h.Host != "":
		errs.Invalid(rules.Child(at, "host"), h.Host, "must be empty when `protocol` is \"HTTP2\"")
	}
	return errs.List()
}

func portOrName(p intstr.IntOrString, at *field.Path) field.ErrorList {
	if p.Type == intstr.Int {
		return portNumber(p.IntVal, at)
	}
	return rules.Faults(at, p.StrVal, utilvalidation.IsValidPortName(p.StrVal))
}

func portNumber(n int32, at *field.Path) field.ErrorList {
	return rules.Faults(at, n, utilvalidation.IsValidPortNum(int(n)))
}
