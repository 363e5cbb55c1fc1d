// kubernetes/kubernetes@v1.17.0:pkg/apis/auditregistration/validation/validation.go

package admissionregistration

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds that never got beyond alpha, or that became another kind with the same name, are checked as in the last release
// that had them: kubernetes/kubernetes:pkg/apis.

// auditSink follows pkg/apis/auditregistration of 1.17.
var auditSink = rules.Of[*builtin.AuditSink]{
	Name: rules.DNSSubdomain,
	Spec: func(s *builtin.AuditSink) any { return &s.Spec },
	Defaults: func(s *builtin.AuditSink) {
		w := &s.Spec.Webhook
		rules.SetDefault(&w.Throttle, builtin.AuditThrottle{})
		rules.SetDefault(&w.Throttle.QPS, 10)
		rules.SetDefault(&w.Throttle.Burst, 15)
		if w.ClientConfig.Service != nil {
			rules.SetDefault(&w.ClientConfig.Service.Port, 443)
		}
	},
	Validate: validateAuditSink,
}

var (
	auditLevels = []string{"Metadata", "None", "Request", "RequestResponse"}
	auditStages = []string{"Panic", "RequestReceived", "ResponseComplete", "ResponseStarted"}
)

func validateAuditSink(s *builtin.AuditSink, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(auditPolicy(s.Spec.Policy, rules.SpecPath.Child("policy")))
	at, w := rules.SpecPath.Child("webhook"), s.Spec.Webhook
	if t := w.Throttle; t != nil {
		errs.Add(rules.Unless(t.QPS == nil || *t.QPS > 0, at.Child("throttle", "qps"), t.QPS, "qps must be a positive number"))
		errs.Add(rules.Unless(t.Burst == nil || *t.Burst > 0, at.Child("throttle", "burst"), t.Burst, "burst must be a positive number"))
	}
	c := admissionregistrationv1.WebhookClientConfig{URL: w.ClientConfig.URL, CABundle: w.ClientConfig.CABundle}
	if s := w.ClientConfig.Service; s != nil {
		service := admissionregistrationv1.ServiceReference(*s)
		c.Service = &service
	}
	errs.Add(rules.ValidateClientConfig(c, at.Child("clientConfig")))
	return errs.List()
}

func auditPolicy(p builtin.AuditPolicy, at *field.Path) field.ErrorList {
	if p.Level != "None" && len(p.Stages) == 0 {
		return field.ErrorList{field.Required(at.Child("stages"), "")}
	}
	var errs rules.Errors
	for i, stage := range p.Stages {
		errs.Add(rules.Unless(slices.Contains(auditStages, stage), at.Child("stages").Index(i), stage, "allowed stages are "+strings.Join(auditStages, ",")))
	}
	if p.Level == "" {
		errs.Required(at.Child("level"), "")
		return errs.List()
	}
	errs.Add(rules.OneOf(&p.Level, auditLevels, at.Child("level")))
	return errs.List()
}
