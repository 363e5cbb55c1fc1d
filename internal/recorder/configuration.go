package recorder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects/admissionregistration"
)

// The phases of admission for which a webhook configuration can be made.
const (
	Mutating   = "mutating"
	Validating = "validating"
)

// A Configuration says how the API server is to call the recorder.
type Configuration struct {
	Name     string                                    // name of the objects; empty: admsim-record
	Service  *admissionregistrationv1.ServiceReference // the recorder's service; its path is ignored
	URL      string                                    // the recorder's URL, if it is not a service
	CABundle []byte                                    // empty: the system's certificate authorities
	Phases   []string                                  // empty: both
	Timeout  time.Duration                             // 0: 5 s
	// Resources lists the resources to record as resource, resource.group or resource/subresource; the group * is any
	// group. Empty: everything except what Kubernetes components write all the time.
	Resources         []string
	ExcludeNamespaces []string // in addition to the namespace of the service
}

const (
	defaultName    = "admsim-record"
	defaultTimeout = 5 * time.Second
)

// Requests and answers are recorded in the current version.
var reviewVersions = []string{"v1"}

// noMachinery excludes what every component writes every few seconds, and the TokenReviews, SubjectAccessReviews and
// the like that ask the API server about users while other requests are answered.
const noMachinery = `!(request.resource.group in ["authentication.k8s.io", "authorization.k8s.io", "coordination.k8s.io", "events.k8s.io"]` +
	` || request.resource.group == "" && request.resource.resource == "events")`

// YAML returns the webhook configurations to install. They are harmless: if the recorder does not answer, the request
// goes on (failurePolicy Ignore) after a short timeout, and requests in the recorder's own namespace are not sent to
// it.
func (c Configuration) YAML() ([]byte, error) {
	objects, err := c.objects()
	if err != nil {
		return nil, err
	}
	var documents [][]byte
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// Address returns the address of the recorder according to the configuration, without a path.
func (c Configuration) Address() string {
	if c.Service == nil {
		return strings.TrimSuffix(c.URL, "/")
	}
	address := "https://" + c.Service.Name + "." + c.Service.Namespace + ".svc"
	if c.Service.Port != nil && *c.Service.Port != 443 {
		address += fmt.Sprintf(":%d", *c.Service.Port)
	}
	return address
}

// Digest identifies a configuration. It ignores the certificates, which may be different each time.
func (c Configuration) Digest() (string, error) {
	c.CABundle = nil
	objects, err := c.objects()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(objects)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func (c Configuration) objects() ([]any, error) {
	if c.Name == "" {
		c.Name = defaultName
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if len(c.Phases) == 0 {
		c.Phases = []string{Mutating, Validating}
	}
	if (c.Service == nil) == (c.URL == "") {
		return nil, errors.New("the recorder needs either a service or a URL")
	}
	if c.Timeout < time.Second || c.Timeout > 30*time.Second || c.Timeout%time.Second != 0 {
		return nil, fmt.Errorf("a timeout of %s is not a number of seconds from 1 to 30", c.Timeout)
	}
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	var objects []any
	for _, phase := range c.Phases {
		switch phase {
		case Mutating:
			objects = append(objects, c.mutating(rules))
		case Validating:
			objects = append(objects, c.validating(rules))
		default:
			return nil, fmt.Errorf("phase %q is not one of %s, %s", phase, Mutating, Validating)
		}
	}
	return objects, nil
}

func (c Configuration) mutating(rules []admissionregistrationv1.RuleWithOperations) any {
	w := admissionregistration.MutatingForm(c.webhook("mutate", rules))
	w.ReinvocationPolicy = new(admissionregistrationv1.NeverReinvocationPolicy)
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "MutatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
		Webhooks:   []admissionregistrationv1.MutatingWebhook{w},
	}
}

func (c Configuration) validating(rules []admissionregistrationv1.RuleWithOperations) any {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{c.webhook("validate", rules)},
	}
}

// webhook returns the fields that webhooks of both kinds share. verb is "mutate" or "validate".
func (c Configuration) webhook(verb string, rules []admissionregistrationv1.RuleWithOperations) admissionregistrationv1.ValidatingWebhook {
	return admissionregistrationv1.ValidatingWebhook{
		Name:                    verb + ".record.admsim.dev",
		ClientConfig:            c.client("/" + verb),
		Rules:                   rules,
		FailurePolicy:           new(admissionregistrationv1.Ignore),
		SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
		TimeoutSeconds:          c.seconds(),
		NamespaceSelector:       c.namespaces(),
		MatchConditions:         c.conditions(),
		AdmissionReviewVersions: reviewVersions,
	}
}

func (c Configuration) client(path string) admissionregistrationv1.WebhookClientConfig {
	config := admissionregistrationv1.WebhookClientConfig{CABundle: c.CABundle}
	if c.Service == nil {
		config.URL = new(strings.TrimSuffix(c.URL, "/") + path)
		return config
	}
	config.Service = &admissionregistrationv1.ServiceReference{
		Namespace: c.Service.Namespace,
		Name:      c.Service.Name,
		Path:      &path,
		Port:      c.Service.Port,
	}
	return config
}

func (c Configuration) seconds() *int32 { return new(int32(c.Timeout / time.Second)) }

// namespaces returns a selector that leaves out the excluded namespaces, by the label that the server sets on every
// namespace.
func (c Configuration) namespaces() *metav1.LabelSelector {
	excluded := slices.Clone(c.ExcludeNamespaces)
	if c.Service != nil {
		excluded = append(excluded, c.Service.Namespace)
	}
	if len(excluded) == 0 {
		return nil
	}
	slices.Sort(excluded)
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key:      "kubernetes.io/metadata.name",
		Operator: metav1.LabelSelectorOpNotIn,
		Values:   slices.Compact(excluded),
	}}}
}

func (c Configuration) conditions() []admissionregistrationv1.MatchCondition {
	if len(c.Resources) > 0 {
		return nil
	}
	return []admissionregistrationv1.MatchCondition{{Name: "not-the-machinery", Expression: noMachinery}}
}

// rules returns one rule per group, in the order in which the groups are named.
func (c Configuration) rules() ([]admissionregistrationv1.RuleWithOperations, error) {
	if len(c.Resources) == 0 {
		return []admissionregistrationv1.RuleWithOperations{rule("*", "*/*")}, nil
	}
	var (
		rules []admissionregistrationv1.RuleWithOperations
		at    = map[string]int{}
	)
	for _, text := range c.Resources {
		whole, subresource, isSubresource := strings.Cut(text, "/")
		resource, group, _ := strings.Cut(whole, ".")
		if resource == "" || isSubresource && subresource == "" {
			return nil, fmt.Errorf("%q is not a resource, such as pods, deployments.apps or pods/exec", text)
		}
		if isSubresource {
			resource += "/" + subresource
		}
		i, ok := at[group]
		if !ok {
			i = len(rules)
			at[group] = i
			rules = append(rules, rule(group))
		}
		rules[i].Resources = append(rules[i].Resources, resource)
	}
	return rules, nil
}

func rule(group string, resources ...string) admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
		Rule: admissionregistrationv1.Rule{
			APIGroups:   []string{group},
			APIVersions: []string{"*"},
			Resources:   resources,
			Scope:       new(admissionregistrationv1.AllScopes),
		},
	}
}
