// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package custom

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	celcommon "k8s.io/apiserver/pkg/cel/common"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/objects/customrules"
)

// longestRules is the time that the rules of a schema may take for an object.
const longestRules = time.Minute

// faultsOf evaluates rules with a time limit. It panics with a [bug.Stop] if the server's answer cannot be known.
func faultsOf(rules *customrules.Rules, u, old *unstructured.Unstructured, both *celcommon.CorrelatedObject) []customrules.Fault {
	ctx, cancel := context.WithTimeout(context.Background(), longestRules)
	defer cancel()
	var before map[string]any
	if old != nil {
		before = old.Object
	}
	faults := rules.Faults(ctx, u.Object, before, both)
	if ctx.Err() != nil {
		err := fmt.Errorf("x-kubernetes-validations of %s %q take longer than %v, which is as long as admsim waits", u.GetKind(), u.GetName(), longestRules)
		panic(bug.Stop{Err: hint.Add(err, "make the rules do less, or the object smaller: they take kube-apiserver as long")})
	}
	return faults
}
