package expression

import (
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An addition is a part of Kubernetes' CEL that exists with one feature and without another.
type addition struct {
	with, until kubeversion.Feature // no until: there is no end
	options     []cel.EnvOption
}

// settled reports whether the CEL of 1.minor is that of the newest release.
func settled(minor int) bool { return language(minor) == len(additions()) }

// language counts the additions that a release knows to be present or absent: two releases with the same number have
// the same CEL.
func language(minor int) int {
	n := 0
	for _, a := range additions() {
		if a.with.In(minor) && (a.until == (kubeversion.Feature{}) || a.until.In(minor)) {
			n++
		}
	}
	return n
}

// additions returns the additions of all releases: kubernetes/apiserver:pkg/cel/environment/base.go. The package there
// creates two environments where one is needed.
func additions() []addition {
	return []addition{
		{options: []cel.EnvOption{
			cel.HomogeneousAggregateLiterals(),
			cel.EagerlyValidateDeclarations(true),
			cel.DefaultUTCTimeZone(true),
			library.URLs(), library.Regex(),
			cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		}},
		{with: kubeversion.CELAuthorizer, options: []cel.EnvOption{library.Authz()}},
		{with: kubeversion.CELQuantities, options: append([]cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), library.Quantity()}, celquirks.BoundedQuantities(endless.CheckInExpression)...)},
		{with: kubeversion.CELStringsAndSets, options: []cel.EnvOption{cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		)}},
		{until: kubeversion.CELStringsAndSets, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(0))}},
		{with: kubeversion.CELStringsAndSets, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(2)), ext.Sets()}},
		{with: kubeversion.CELAddresses, options: []cel.EnvOption{library.IP(), library.CIDR()}},
		{with: kubeversion.CELFormats, options: []cel.EnvOption{library.Format()}},
		{with: kubeversion.CELTwoVariables, options: []cel.EnvOption{ext.TwoVarComprehensions()}},
		{with: kubeversion.CELSemver, options: []cel.EnvOption{library.SemverLib(library.SemverVersion(1))}},
		{with: kubeversion.CELLists, options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))}},
		{until: kubeversion.CELIncludes, options: []cel.EnvOption{library.Lists(library.ListsVersion(0))}},
		{with: kubeversion.CELIncludes, options: []cel.EnvOption{library.Lists(library.ListsVersion(1))}},
	}
}

// limits says how programs are run, and what they may cost in a release.
type limits struct{ minor int }

func (limits) CompileOptions() []cel.EnvOption { return nil }

func (l limits) ProgramOptions() []cel.ProgramOption {
	trackers := []interpreter.CostTrackerOption{interpreter.PresenceTestHasCost(false)}
	if !kubeversion.CELSearchCosts.In(l.minor) {
		for _, search := range []string{overloads.StartsWithString, overloads.EndsWithString} {
			trackers = append(trackers, interpreter.OverloadCostTracker(search, costOfWhole))
		}
		trackers = append(trackers, interpreter.OverloadCostTracker(overloads.Matches, costOfOne))
	}
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTrackerOptions(trackers...),
		cel.CostTracking(&library.CostEstimator{}),
	}
}

// costOfWhole returns the cost of a search in a string in releases where it does not depend on what is searched for.
func costOfWhole(args []ref.Val, _ ref.Val) *uint64 {
	cost := uint64(1)
	if text, ok := args[0].(traits.Sizer); ok {
		cost = uint64(math.Ceil(float64(text.Size().(types.Int)) * common.StringTraversalCostFactor))
	}
	return &cost
}

// costOfOne returns the cost of a call whose arguments do not matter.
func costOfOne([]ref.Val, ref.Val) *uint64 {
	cost := uint64(1)
	return &cost
}

// baseOf creates the environment of a release, without any variables. A function can only be removed by
// options of the linkage: what extends an environment cannot do that.
func baseOf(minor int, selectors bool, with linkage) (*cel.Env, error) {
	options := []cel.EnvOption{cel.Lib(limits{minor})}
	for _, a := range additions() {
		if a.with.In(minor) && (a.until == (kubeversion.Feature{}) || !a.until.In(minor)) {
			options = append(options, a.options...)
		}
	}
	if selectors {
		options = append(options, library.AuthzSelectors())
	}
	options = append(options, with.former.Options()...)
	env, err := cel.NewEnv(append(options, with.options...)...)
	if err != nil {
		return nil, fmt.Errorf("CEL environment of 1.%d: %w", minor, err)
	}
	return env, nil
}

// newest returns the environment with everything that is known.
var newest = sync.OnceValues(func() (*cel.Env, error) { return baseOf(math.MaxInt, true, linkage{}) })

// inEachMode returns a function that creates an environment for each mode when it is first needed.
func inEachMode(of func(mode) (*cel.Env, error)) func(mode) (*cel.Env, error) {
	made := [...]func() (*cel.Env, error){
		ofRelease: sync.OnceValues(func() (*cel.Env, error) { return of(ofRelease) }),
		ofNewest:  sync.OnceValues(func() (*cel.Env, error) { return of(ofNewest) }),
	}
	return func(m mode) (*cel.Env, error) { return made[m]() }
}

// typesFor adds types to an environment. keywords says that fields may have the names of CEL keywords.
func typesFor(env *cel.Env, keywords bool, types ...*apiservercel.DeclType) ([]cel.EnvOption, error) {
	provider := apiservercel.NewDeclTypeProvider(types...)
	provider.SetRecognizeKeywordAsFieldName(keywords)
	return provider.EnvOptions(env.CELTypeProvider())
}
