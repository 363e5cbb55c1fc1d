// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/compilation.go

package customrules

import (
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/overloads"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Environments returns the environments in which a release compiles rules. New rules may use what the version compatible
// knows, stored ones everything. The CEL library of a release may not be the linked one, as [Compile] knows. In old
// servers, sums of quantities changed a quantity (W-348), and up to [kubeversion.CELSearchCosts] a search written as a
// function, matches(text, pattern), was estimated to cost the same whatever text is searched.
func Environments(r *kubeversion.Release, compatible *version.Version) *environment.EnvSet {
	always := celquirks.FormerOf(r.CELLibrary()).Options()
	quantities := celquirks.BoundedQuantities(endless.CheckInExpression)
	if !r.Has(kubeversion.CELSearchCosts) {
		always = append(always, celgo.CostEstimatorOptions(checker.OverloadCostEstimate(overloads.Matches, one)))
	}
	if !r.Has(kubeversion.CELQuantitiesCopied) {
		quantities = append(quantities, celquirks.SharedQuantities()...)
	}
	set, err := environment.MustBaseEnvSet(compatible).Extend(
		environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: always},
		environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 28), EnvOptions: quantities},
	)
	if err != nil {
		panic(fmt.Sprintf("customrules: the CEL of 1.%d: %v", r.Minor, err)) // it does not depend on any input
	}
	return set
}

func one(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate{Min: 1, Max: 1}}
}
