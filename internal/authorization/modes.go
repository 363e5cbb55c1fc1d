package authorization

import (
	"fmt"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/admsim/admsim/internal/didyoumean"
)

// A Mode is a value of kube-apiserver's flag --authorization-mode.
type Mode string

const (
	Node        Mode = "Node"
	RBAC        Mode = "RBAC"
	ABAC        Mode = "ABAC"
	AlwaysAllow Mode = "AlwaysAllow"
	AlwaysDeny  Mode = "AlwaysDeny"
)

// Modes are all that are simulated.
func Modes() []string {
	return []string{string(Node), string(RBAC), string(ABAC), string(AlwaysAllow), string(AlwaysDeny)}
}

// Options say which authorizers a server asks, as flags of kube-apiserver do.
type Options struct {
	Modes []string // --authorization-mode

	// Policy is what is in the file of --authorization-policy-file, the policies of mode ABAC, and PolicyFile
	// its name in errors. Nil: the flag is not given.
	Policy     []byte
	PolicyFile string
}

// A Chain are the authorizers of a server, in the order in which they are asked.
type Chain []link

// A link is one authorizer of a chain.
type link struct {
	Mode
	name     string   // in front of its reasons
	policies policies // of ABAC
}

// NewChain returns the authorizers of a server that is started with these flags. It refuses what kube-apiserver
// refuses: kubernetes/kubernetes:pkg/kubeapiserver/options/authorization.go.
func NewChain(o Options) (Chain, error) {
	var chain Chain
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, name := range o.Modes {
		if name == "Webhook" {
			wrong("authorization mode %s is not simulated", name)
		} else if !slices.Contains(Modes(), name) {
			errs = append(errs, didyoumean.Unknown(fmt.Sprintf("authorization-mode %q is not a valid mode", name), name, Modes()))
		}
		chain = append(chain, link{Mode: Mode(name), name: strings.ToLower(name)})
	}
	at := slices.IndexFunc(chain, func(l link) bool { return l.Mode == ABAC })
	switch {
	case at >= 0 && o.Policy == nil:
		wrong("authorization-mode ABAC's authorization policy file not passed")
	case at < 0 && o.Policy != nil:
		wrong("cannot specify --authorization-policy-file without mode ABAC")
	case at >= 0:
		var err error
		if chain[at].policies, err = parsePolicies(o.Policy, o.PolicyFile); err != nil {
			errs = append(errs, err)
		}
	}
	if sorted := slices.Sorted(slices.Values(o.Modes)); len(slices.Compact(sorted)) < len(o.Modes) {
		wrong("authorization-mode %q has mode specified more than once", o.Modes)
	}
	if len(errs) == 1 {
		return chain, errs[0] // with its hint
	}
	return chain, utilerrors.NewAggregate(errs)
}
