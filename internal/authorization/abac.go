package authorization

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// policies holds the lines of the policy file of mode ABAC (AU-40 to AU-44):
// kubernetes/kubernetes:pkg/auth/authorizer/abac/abac.go.
type policies []*policy

// A policy is a line with a version: kubernetes/kubernetes:pkg/apis/abac/v1beta1/types.go.
type policy struct {
	metav1.TypeMeta `json:""`

	Spec struct {
		User            string `json:"user"`
		Group           string `json:"group"`
		Readonly        bool   `json:"readonly"`
		APIGroup        string `json:"apiGroup"`
		Resource        string `json:"resource"`
		Namespace       string `json:"namespace"`
		NonResourcePath string `json:"nonResourcePath"`
	} `json:"spec"`
}

// A legacyPolicy is a line without a version: kubernetes/kubernetes:pkg/apis/abac/v0/types.go.
type legacyPolicy struct {
	metav1.TypeMeta `json:""`

	User      string `json:"user"`
	Group     string `json:"group"`
	Readonly  bool   `json:"readonly"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
}

// DeepCopyObject implements [runtime.Object].
func (p *policy) DeepCopyObject() runtime.Object { next := *p; return &next }

// DeepCopyObject implements [runtime.Object].
func (p *legacyPolicy) DeepCopyObject() runtime.Object { next := *p; return &next }

// policy converts the line to today's form (AU-42): kubernetes/kubernetes:pkg/apis/abac/v0/conversion.go.
func (p *legacyPolicy) policy() *policy {
	now := &policy{}
	now.Spec.User, now.Spec.Group, now.Spec.Readonly = p.User, p.Group, p.Readonly
	now.Spec.Namespace, now.Spec.Resource, now.Spec.APIGroup = p.Namespace, p.Resource, "*"
	if p.User == "" && p.Group == "" {
		now.Spec.Group = user.AllAuthenticated
	}
	if p.User == "*" || p.Group == "*" {
		now.Spec.User, now.Spec.Group = "", user.AllAuthenticated
	}
	if p.Namespace == "" {
		now.Spec.Namespace = "*"
	}
	if p.Resource == "" {
		now.Spec.Resource = "*"
	}
	if p.Namespace == "" && p.Resource == "" {
		now.Spec.NonResourcePath = "*"
	}
	return now
}

// policyDecoder reads lines as the server does, with the same error messages.
var policyDecoder = sync.OnceValue(func() runtime.Decoder {
	const group = "abac.authorization.kubernetes.io"
	scheme := runtime.NewScheme()
	for _, version := range []string{runtime.APIVersionInternal, "v1beta1"} {
		scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: version, Kind: "Policy"}, &policy{})
	}
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v0", Kind: "Policy"}, &legacyPolicy{})
	err := scheme.AddConversionFunc((*legacyPolicy)(nil), (*policy)(nil), func(in, out any, _ conversion.Scope) error {
		out.(*policy).Spec = in.(*legacyPolicy).policy().Spec
		return nil
	})
	if err != nil {
		panic(err)
	}
	return serializer.NewCodecFactory(scheme).UniversalDecoder()
})

// parsePolicies reads the policy file of mode ABAC. file is its name in errors.
func parsePolicies(text []byte, file string) (all policies, err error) {
	file = cmp.Or(file, "policies of ABAC")
	lines := bufio.NewScanner(bytes.NewReader(text))
	for at := 1; lines.Scan(); at++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		one, err := parsePolicy(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, at, err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

func parsePolicy(line []byte) (*policy, error) {
	decoded, _, err := policyDecoder().Decode(line, nil, nil)
	if err == nil {
		return decoded.(*policy), nil // the decoder knows no other kind
	}
	if !runtime.IsMissingVersion(err) && !runtime.IsMissingKind(err) && !runtime.IsNotRegisteredError(err) {
		return nil, err
	}
	legacy := &legacyPolicy{}
	if err := runtime.DecodeInto(policyDecoder(), line, legacy); err != nil {
		return nil, err
	}
	return legacy.policy(), nil
}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (all policies) Authorize(_ context.Context, question authorizer.Attributes) (authorizer.Decision, string, error) {
	for _, p := range all {
		if p.isAbout(question.GetUser()) && (question.IsReadOnly() || !p.Spec.Readonly) && p.covers(question) {
			return authorizer.DecisionAllow, "", nil
		}
	}
	return authorizer.DecisionNoOpinion, "No policy matched.", nil
}

// isAbout reports whether the policy is for a user. If it names both a user and a group, both have to match.
func (p *policy) isAbout(who user.Info) bool {
	named := func(name string, has ...string) bool { return name == "" || name == "*" || slices.Contains(has, name) }
	return (p.Spec.User != "" || p.Spec.Group != "") && named(p.Spec.User, who.GetName()) && named(p.Spec.Group, who.GetGroups()...)
}

// covers reports whether the policy covers the question.
func (p *policy) covers(question authorizer.Attributes) bool {
	is := func(value, asked string) bool { return value == "*" || value == asked }
	if question.IsResourceRequest() {
		return is(p.Spec.Namespace, question.GetNamespace()) && is(p.Spec.Resource, question.GetResource()) && is(p.Spec.APIGroup, question.GetAPIGroup())
	}
	path := p.Spec.NonResourcePath
	return is(path, question.GetPath()) ||
		strings.HasSuffix(path, "*") && strings.HasPrefix(question.GetPath(), strings.TrimRight(path, "*"))
}

// RulesFor implements [authorizer.RuleResolver].
func (all policies) RulesFor(_ context.Context, who user.Info, namespace string) (resources []authorizer.ResourceRuleInfo, others []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	for _, p := range all {
		if !p.isAbout(who) || p.Spec.Namespace != "*" && p.Spec.Namespace != namespace {
			continue
		}
		verbs := []string{"*"}
		if p.Spec.Readonly {
			verbs = []string{"get", "list", "watch"}
		}
		if p.Spec.Resource != "" {
			resources = append(resources, &authorizer.DefaultResourceRuleInfo{Verbs: verbs, APIGroups: []string{p.Spec.APIGroup}, Resources: []string{p.Spec.Resource}})
		}
		if p.Spec.NonResourcePath != "" {
			others = append(others, &authorizer.DefaultNonResourceRuleInfo{Verbs: verbs, NonResourceURLs: []string{p.Spec.NonResourcePath}})
		}
	}
	return resources, others, false, nil
}
