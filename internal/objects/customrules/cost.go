// kubernetes/apiserver:pkg/cel/library/cost.go

package customrules

import (
	"github.com/google/cel-go/checker"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A formerEstimator estimates what calls cost in a release, and the sizes of the parts of self.
type formerEstimator struct {
	release *kubeversion.Release
	self    *apiservercel.DeclType
}

// EstimateSize implements [checker.CostEstimator].
func (e formerEstimator) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if len(n.Path()) == 0 {
		return nil
	}
	of := e.self
	for _, name := range n.Path()[1:] {
		switch name {
		case "@items", "@values":
			of = of.ElemType
		case "@keys":
			of = of.KeyType
		default:
			field, ok := of.Fields[name]
			if !ok {
				return nil
			}
			of = field.Type
		}
		if of == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(of.MaxElements)}
}

// EstimateCallCost implements [checker.CostEstimator].
func (e formerEstimator) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	estimate := (&library.CostEstimator{SizeEstimator: e}).EstimateCallCost(function, overload, target, args)
	switch function {
	case "quantity", "isQuantity":
		if !e.release.Has(kubeversion.CELQuantityCosts) {
			return nil
		}
	case "_==_":
		if !e.release.Has(kubeversion.CELEqualityCosts) {
			return nil
		}
	case "url":
		if estimate != nil && !e.release.Has(kubeversion.CELEqualityCosts) {
			estimate.ResultSize = nil
		}
	}
	return estimate
}
