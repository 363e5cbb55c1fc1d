package celquirks

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// SharedQuantities returns the sums and differences of quantities as they were up to 1.36: the result shared the digits
// of a quantity with too many for an int64, so that the calculation changed it (W-348). They come after the server's
// library.
func SharedQuantities() []cel.EnvOption {
	quantity, number := apiservercel.QuantityType, cel.IntType
	calculation := func(name string, calculate func(q *resource.Quantity, other resource.Quantity)) cel.EnvOption {
		binding := cel.BinaryBinding(func(arg, other ref.Val) ref.Val { return calculated(arg, other, calculate) })
		return cel.Function(name,
			cel.MemberOverload("quantity_"+name, []*cel.Type{quantity, quantity}, quantity, binding),
			cel.MemberOverload("quantity_"+name+"_int", []*cel.Type{quantity, number}, quantity, binding))
	}
	return []cel.EnvOption{
		calculation("add", (*resource.Quantity).Add),
		calculation("sub", (*resource.Quantity).Sub),
	}
}

// calculated follows quantityAdd and its like in kubernetes/apiserver@v0.36.3:pkg/cel/library/quantity.go.
func calculated(arg, other ref.Val, calculate func(q *resource.Quantity, other resource.Quantity)) ref.Val {
	q, ok := arg.Value().(*resource.Quantity)
	if !ok {
		return types.MaybeNoSuchOverloadErr(arg)
	}
	result := *q // has the same digits
	switch other := other.Value().(type) {
	case *resource.Quantity:
		calculate(&result, *other)
	case int64:
		calculate(&result, *resource.NewQuantity(other, resource.DecimalExponent))
	default:
		return types.MaybeNoSuchOverloadErr(arg)
	}
	return &apiservercel.Quantity{Quantity: &result}
}
