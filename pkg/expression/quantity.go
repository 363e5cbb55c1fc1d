package expression

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// What the text of a quantity in an expression may be. Comparing 1e999999999 with 1 writes a billion
// digits, for which CEL has no cost: kube-apiserver hangs. The greatest quantity that Kubernetes stores
// has 19 digits, the least 9 behind the point.
const (
	longestQuantity  = 1000 // bytes
	greatestExponent = 1000 // of ten, either way
)

// errUnboundedQuantity ends the request: nobody can tell what the server would answer.
var errUnboundedQuantity = fmt.Errorf("admsim evaluates no quantity of more than %d characters or with an exponent beyond %d, for which kube-apiserver may take forever", longestQuantity, greatestExponent)

// quantities are the server's library of quantities, with bounds.
func quantities() []cel.EnvOption {
	return []cel.EnvOption{
		library.Quantity(),
		cel.Function("quantity", cel.Overload("string_to_quantity", []*cel.Type{cel.StringType}, apiservercel.QuantityType, cel.UnaryBinding(toQuantity))),
		cel.Function("isQuantity", cel.Overload("is_quantity_string", []*cel.Type{cel.StringType}, cel.BoolType, cel.UnaryBinding(isQuantity))),
	}
}

// toQuantity and isQuantity do what kubernetes/apiserver:pkg/cel/library/quantity.go does.
func toQuantity(arg ref.Val) ref.Val {
	text, ok := arg.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(arg)
	}
	if !isBounded(text) {
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
	if !isBounded(text) {
		return toQuantity(arg)
	}
	_, err := resource.ParseQuantity(text)
	return types.Bool(err == nil)
}

// isBounded tells whether a text, if it is a quantity, is one that can be compared soon.
func isBounded(text string) bool {
	if len(text) > longestQuantity {
		return false
	}
	_, exponent, ok := strings.Cut(strings.ReplaceAll(text, "E", "e"), "e")
	if !ok {
		return true
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return !isDigits(strings.TrimLeft(exponent, "+-")) // out of range, or no exponent
	}
	return -greatestExponent <= n && n <= greatestExponent
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
