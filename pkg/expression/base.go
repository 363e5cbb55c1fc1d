package expression

import (
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// An addition is what the CEL of Kubernetes knows since release 1.since, and before 1.until.
type addition struct {
	since, until int // until 0: for good
	options      []cel.EnvOption
}

// settledSince is the release since which CEL is the same in each. What is stored and what is
// written is then one language, in which an expression is compiled once.
const settledSince = 34

// selectorsSince is the release whose CEL has the authorizer's fieldSelector and
// labelSelector, behind the gate AuthorizeWithSelectors in what is written, and without one in
// what is stored.
const selectorsSince = 31

// additions are those of all releases: kubernetes/apiserver:pkg/cel/environment/base.go. The
// package there makes two environments where one is needed.
func additions() []addition {
	return []addition{
		{options: []cel.EnvOption{
			cel.HomogeneousAggregateLiterals(),
			cel.EagerlyValidateDeclarations(true),
			cel.DefaultUTCTimeZone(true),
			library.URLs(), library.Regex(), library.Lists(),
			cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		}},
		{since: 27, options: []cel.EnvOption{library.Authz()}},
		{since: 28, options: []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), library.Quantity()}},
		{since: 29, options: []cel.EnvOption{cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		)}},
		{until: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(0))}},
		{since: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(2)), ext.Sets()}},
		{since: 30, options: []cel.EnvOption{library.IP(), library.CIDR()}},
		{since: 31, options: []cel.EnvOption{library.Format()}},
		{since: 32, options: []cel.EnvOption{ext.TwoVarComprehensions()}},
		{since: 33, options: []cel.EnvOption{library.SemverLib(library.SemverVersion(1))}},
		{since: settledSince, options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))}},
	}
}

// limits are how programs are run, and what they may cost.
type limits struct{}

func (limits) CompileOptions() []cel.EnvOption { return nil }

func (limits) ProgramOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(&library.CostEstimator{}),
	}
}

// baseOf makes the environment of a release, in which no variable is declared.
func baseOf(minor int, selectors bool) (*cel.Env, error) {
	options := []cel.EnvOption{cel.Lib(limits{})}
	for _, a := range additions() {
		if a.since <= minor && (a.until == 0 || minor < a.until) {
			options = append(options, a.options...)
		}
	}
	if selectors {
		options = append(options, library.AuthzSelectors())
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("CEL environment of 1.%d: %w", minor, err)
	}
	return env, nil
}

// newest is the environment of all that is known.
var newest = sync.OnceValues(func() (*cel.Env, error) { return baseOf(math.MaxInt, true) })

// inEachMode makes an environment for each mode when it is first needed.
func inEachMode(of func(mode) (*cel.Env, error)) func(mode) (*cel.Env, error) {
	made := [...]func() (*cel.Env, error){
		ofRelease: sync.OnceValues(func() (*cel.Env, error) { return of(ofRelease) }),
		ofNewest:  sync.OnceValues(func() (*cel.Env, error) { return of(ofNewest) }),
	}
	return func(m mode) (*cel.Env, error) { return made[m]() }
}

// typesFor adds types to an environment. keywords says that fields may be called as words of CEL
// are.
func typesFor(env *cel.Env, keywords bool, types ...*apiservercel.DeclType) ([]cel.EnvOption, error) {
	provider := apiservercel.NewDeclTypeProvider(types...)
	provider.SetRecognizeKeywordAsFieldName(keywords)
	return provider.EnvOptions(env.CELTypeProvider())
}
