package authorization

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/hint"
)

// A Mode is a value of kube-apiserver's flag --authorization-mode.
type Mode string

// The modes that are simulated.
const (
	Node        Mode = "Node"
	RBAC        Mode = "RBAC"
	AlwaysAllow Mode = "AlwaysAllow"
	AlwaysDeny  Mode = "AlwaysDeny"
)

// Modes are all that are simulated.
func Modes() []string {
	return []string{string(Node), string(RBAC), string(AlwaysAllow), string(AlwaysDeny)}
}

// ParseModes reads the values of the flag, and refuses what kube-apiserver refuses:
// kubernetes/kubernetes:pkg/kubeapiserver/options/authorization.go.
func ParseModes(names []string) ([]Mode, error) {
	var modes []Mode
	for _, name := range names {
		mode := Mode(name)
		switch {
		case name == "ABAC" || name == "Webhook":
			return nil, hint.Add(fmt.Errorf("authorization mode %s is not simulated", name), "leave it out: the requests that it allows are then judged by the other modes, or not at all")
		case !slices.Contains(Modes(), name):
			return nil, didyoumean.Unknown(fmt.Sprintf("authorization-mode %q is not a valid mode", name), name, Modes())
		case slices.Contains(modes, mode):
			return nil, fmt.Errorf("authorization-mode %q has mode specified more than once", names)
		}
		modes = append(modes, mode)
	}
	return modes, nil
}
