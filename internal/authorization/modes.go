package authorization

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Mode is a value of kube-apiserver's flag --authorization-mode.
type Mode string

const (
	Node        Mode = "Node"
	RBAC        Mode = "RBAC"
	ABAC        Mode = "ABAC"
	Webhook     Mode = "Webhook"
	AlwaysAllow Mode = "AlwaysAllow"
	AlwaysDeny  Mode = "AlwaysDeny"
)

// Modes returns all modes that are simulated.
func Modes() []string {
	return []string{string(Node), string(RBAC), string(ABAC), string(Webhook), string(AlwaysAllow), string(AlwaysDeny)}
}

// A Chain holds the authorizers of a server, in the order in which they are asked.
type Chain []link

// A link is one authorizer of a chain.
type link struct {
	Mode
	name     string   // prefix of its reasons
	policies policies // of ABAC
	webhook  *webhook // of Webhook
}

// AsksWebhooks reports whether webhooks are among the authorizers.
func (c Chain) AsksWebhooks() bool {
	return slices.ContainsFunc(c, func(l link) bool { return l.webhook != nil })
}

// Webhooks returns the names of the webhooks among them.
func (c Chain) Webhooks() (names []string) {
	for _, l := range c {
		if l.webhook != nil {
			names = append(names, l.name)
		}
	}
	return names
}

// NewChain returns the authorizers of a server with these modes and their settings. It refuses what kube-apiserver
// refuses: kubernetes/kubernetes:pkg/kubeapiserver/options/authorization.go. The match conditions of webhooks are
// compiled by what compiler returns.
func NewChain(modes []string, needs admission.Authorizers, r *kubeversion.Release, compiler func() authorizationcel.Compiler) (Chain, error) {
	if needs.Config != nil {
		return configured(modes, needs, r, compiler)
	}
	var chain Chain
	var errs []error
	for _, name := range modes {
		one, err := newLink(name, needs)
		if err != nil {
			errs = append(errs, err)
		}
		chain = append(chain, one)
	}
	if needs.Policy != nil && !slices.Contains(modes, string(ABAC)) {
		errs = append(errs, errors.New("cannot specify --authorization-policy-file without mode ABAC"))
	}
	if needs.Webhook != nil && !slices.Contains(modes, string(Webhook)) {
		errs = append(errs, errors.New("cannot specify --authorization-webhook-config-file without mode Webhook"))
	}
	if sorted := slices.Sorted(slices.Values(modes)); len(slices.Compact(sorted)) < len(modes) {
		errs = append(errs, fmt.Errorf("authorization-mode %q has mode specified more than once", modes))
	}
	if len(errs) == 1 {
		return chain, errs[0] // with its hint
	}
	return chain, utilerrors.NewAggregate(errs)
}

func newLink(name string, needs admission.Authorizers) (one link, err error) {
	one = link{Mode: Mode(name), name: strings.ToLower(name)}
	switch {
	case !slices.Contains(Modes(), name):
		unknown := didyoumean.Unknown(fmt.Sprintf("authorization-mode %q is not a valid mode", name), name, Modes())
		unknown.Else = "the modes are " + strings.Join(Modes(), ", ")
		err = unknown
	case one.Mode == ABAC && needs.Policy == nil:
		err = errors.New("authorization-mode ABAC's authorization policy file not passed")
	case one.Mode == ABAC:
		one.policies, err = parsePolicies(needs.Policy, needs.PolicyFile)
	case one.Mode == Webhook && needs.Webhook == nil:
		err = errors.New("authorization-mode Webhook's authorization config file not passed")
	case one.Mode == Webhook:
		one.name = defaultWebhook
		one.webhook, err = webhookOfFlags(needs)
	}
	return one, err
}
