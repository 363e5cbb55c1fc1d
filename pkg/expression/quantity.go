package expression

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/internal/endless"
)

// errUnboundedQuantity is the error for a quantity that is not evaluated: CEL has no cost for the billion digits that
// comparing 1e999999999 with 1 writes. It ends the request, because the server's answer cannot be known.
var errUnboundedQuantity = fmt.Errorf("admsim evaluates no quantity of more than %d characters or with an exponent beyond %d, for which kube-apiserver may take forever", endless.InExpressions.Length, endless.InExpressions.Exponent)

const unboundedHint = "make the quantity smaller; it comes from the object or from the expression"

// quantities returns the server's library for quantities, with limits.
func quantities() []cel.EnvOption {
	return []cel.EnvOption{
		library.Quantity(),
		cel.Function("quantity", cel.Overload("string_to_quantity", []*cel.Type{cel.StringType}, apiservercel.QuantityType, cel.UnaryBinding(toQuantity))),
		cel.Function("isQuantity", cel.Overload("is_quantity_string", []*cel.Type{cel.StringType}, cel.BoolType, cel.UnaryBinding(isQuantity))),
	}
}

// toQuantity and isQuantity do the same as kubernetes/apiserver:pkg/cel/library/quantity.go.
func toQuantity(arg ref.Val) ref.Val {
	text, ok := arg.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(arg)
	}
	if !endless.InExpressions.Hold(text) {
		return types.WrapErr(errUnboundedQuantity)
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Quantity{Quantity: &q}
}

func isQuantity(arg ref.Val) ref.Val {
	text, ok := arg.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(arg)
	}
	if !endless.InExpressions.Hold(text) {
		return toQuantity(arg)
	}
	_, err := resource.ParseQuantity(text)
	return types.Bool(err == nil)
}
