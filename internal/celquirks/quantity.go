package celquirks

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// BoundedQuantities returns the functions that read a quantity from a text, which fail with the error of check for that
// text. They replace those of the server's library, and come after it.
func BoundedQuantities(check func(text string) error) []cel.EnvOption {
	reading := func(read func(text string) ref.Val) cel.OverloadOpt {
		return cel.UnaryBinding(func(arg ref.Val) ref.Val {
			text, ok := arg.Value().(string)
			if !ok {
				return types.MaybeNoSuchOverloadErr(arg)
			}
			if err := check(text); err != nil {
				return types.WrapErr(err)
			}
			return read(text)
		})
	}
	return []cel.EnvOption{
		cel.Function("quantity", cel.Overload("string_to_quantity", []*cel.Type{cel.StringType}, apiservercel.QuantityType, reading(toQuantity))),
		cel.Function("isQuantity", cel.Overload("is_quantity_string", []*cel.Type{cel.StringType}, cel.BoolType, reading(isQuantity))),
	}
}

// toQuantity and isQuantity do the same as kubernetes/apiserver:pkg/cel/library/quantity.go.
func toQuantity(text string) ref.Val {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Quantity{Quantity: &q}
}

func isQuantity(text string) ref.Val {
	_, err := resource.ParseQuantity(text)
	return types.Bool(err == nil)
}
