package expression

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/ext"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Selectors of devices see one variable, the device. Its sizes are known, so the maximum cost of an expression is known
// as well: kubernetes/dynamic-resource-allocation:cel/compile.go.

const deviceVariable = "device"

// CheckDeviceExpression validates the expression of a device selector, or of an attribute that is derived from others,
// and returns its maximum cost. stored says that the object already had it.
func (c *Compiler) CheckDeviceExpression(expression string, derived, stored bool, path *field.Path) (cost uint64, errs field.ErrorList) {
	env, err := c.devices.environment(modeFor(stored))
	if err != nil {
		return 0, field.ErrorList{field.InternalError(path, err)}
	}
	ast, issues := compileIn(env, expression, c.written.library.former)
	if issues != nil {
		return 0, field.ErrorList{field.Invalid(path, expression, "compilation failed: "+c.devices.explained(expression, issues))}
	}
	if wrong := c.devices.wrongResult(ast.OutputType(), derived); wrong != "" {
		return 0, field.ErrorList{field.Invalid(path, expression, wrong)}
	}
	if !c.devices.limited {
		return 0, nil
	}
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: c.devices}, c.devices.costs...)
	if err != nil {
		return 0, field.ErrorList{field.InternalError(path, &apiservercel.Error{Type: apiservercel.ErrorTypeInternal, Detail: "cost estimation failed: " + err.Error()})}
	}
	most := uint64(resourcev1.CELSelectorExpressionMaxCost)
	if derived {
		most = min(most, resourcev1.DeviceClaimDerivedAttributeCELMaxCost)
	}
	if estimate.Max > most {
		errs = field.ErrorList{field.Forbidden(path, "too complex, exceeds cost limit")}
	}
	return estimate.Max, errs
}

// explained returns what CEL says about an expression that does not compile.
func (d *devices) explained(expression string, issues *cel.Issues) string {
	if expression == "" && !d.zeroColumn {
		return strings.Replace(issues.String(), ":1:0: ", ":1:1: ", 1)
	}
	return issues.String()
}

// wrongResult returns why an expression may not have a result of this type; empty if it may.
func (d *devices) wrongResult(t *cel.Type, derived bool) string {
	switch {
	case !derived && (t.IsExactType(cel.BoolType) || t.IsExactType(cel.AnyType) || d.lists && t.IsExactType(cel.DynType)):
		return ""
	case !derived:
		return "must evaluate to bool or the unknown type, not " + t.String()
	case isScalar(t) || d.lists && t.TypeName() == "list" && len(t.Parameters()) == 1 && isScalar(t.Parameters()[0]):
		return ""
	case d.lists:
		return "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, not " + t.String()
	}
	return "must evaluate to a primitive scalar (string, integer, boolean, semver), not " + t.String()
}

// isScalar reports whether an attribute may have values of this type.
func isScalar(t *cel.Type) bool {
	return slices.ContainsFunc([]*cel.Type{cel.BoolType, cel.IntType, cel.StringType, cel.AnyType, cel.DynType, apiservercel.SemverType}, t.IsExactType)
}

// devices describes the part of devices that selectors see in a release.
type devices struct {
	lists       bool // attributes may be lists
	limited     bool // expressions have a maximum cost
	zeroColumn  bool // a syntax error in an empty expression is in column 0, not 1
	costs       []checker.CostOption
	declared    func() *apiservercel.DeclType
	environment func(mode) (*cel.Env, error)
}

var _ checker.CostEstimator = (*devices)(nil)

func newDevices(r *kubeversion.Release, base func(mode) (*cel.Env, error)) *devices {
	d := &devices{lists: r.Enabled("DRAListTypeAttributes"), limited: r.Has(kubeversion.DevicesInBeta), zeroColumn: r.Has(kubeversion.CELOffsets)}
	if !r.Has(kubeversion.CELSearchCosts) {
		d.costs = []checker.CostOption{checker.OverloadCostEstimate(overloads.Matches, estimateOfOne)}
	}
	d.environment = inEachMode(func(m mode) (*cel.Env, error) {
		env, err := base(m)
		if err != nil {
			return nil, err
		}
		visible := deviceType(r.Has(kubeversion.DeviceCapacityInCEL), d.lists) // the gate DRAConsumableCapacity
		types, err := typesFor(env, m.keywords(r.Minor), visible)
		if err != nil {
			return nil, err
		}
		options := append(types, ext.Bindings(ext.BindingsVersion(0)), cel.Variable(deviceVariable, visible.CelType()))
		if !env.HasFunction("semver") {
			options = append(options, library.SemverLib(library.SemverVersion(0)))
		}
		if d.lists {
			options = append(options, library.IncludesOption())
		}
		return env.Extend(options...)
	})
	// Sizes are estimated with all fields, whatever the release has.
	d.declared = sync.OnceValue(func() *apiservercel.DeclType { return deviceType(true, d.lists) })
	return d
}

// estimateOfOne estimates a call whose arguments do not matter, apart from the cost of evaluating them.
func estimateOfOne(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate{Min: 1, Max: 1}}
}

// deviceType declares a device: its attributes and capacities are in maps, by the domain and then the rest of their
// names. If attributes may be lists, functions for lists accept them.
func deviceType(shared, lists bool) *apiservercel.DeclType {
	domain := sized(apiservercel.StringType, resourcev1.DeviceMaxDomainLength)
	id := sized(apiservercel.StringType, resourcev1.DeviceMaxIDLength)
	byName := func(value *apiservercel.DeclType) *apiservercel.DeclType {
		const most = resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice
		return apiservercel.NewMapType(domain, apiservercel.NewMapType(id, value, most), most)
	}
	fields := map[string]*apiservercel.DeclField{}
	declare := func(name string, t *apiservercel.DeclType) {
		fields[name] = apiservercel.NewDeclField(name, t, true, nil, nil)
	}
	declare("driver", sized(apiservercel.StringType, resourcev1.DriverNameMaxLength))
	attribute := apiservercel.AnyType
	if lists {
		attribute = apiservercel.DynType
	}
	declare("attributes", byName(sized(attribute, resourcev1.DeviceAttributeMaxValueLength))) // more than the number of items in a list
	declare("capacity", byName(apiservercel.QuantityDeclType))
	if shared {
		declare("allowMultipleAllocations", sized(apiservercel.BoolType, 1))
	}
	return apiservercel.NewObjectType("kubernetes.DRADevice", fields)
}

func sized(t *apiservercel.DeclType, most int64) *apiservercel.DeclType {
	known := *t
	known.MaxElements = most
	return &known
}

// EstimateSize returns the maximum size of a part of a device. A field with an unknown name is an attribute or nothing.
func (d *devices) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != deviceVariable {
		return nil
	}
	at := d.declared()
	for _, name := range path[1:] {
		switch f, isField := at.Fields[name]; {
		case name == "@items" || name == "@values":
			at = at.ElemType
		case name == "@keys":
			at = at.KeyType
		case isField:
			at = f.Type
		case isAttribute(at.ElemType):
			at = at.ElemType
		default:
			return nil
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func isAttribute(t *apiservercel.DeclType) bool {
	return t != nil && t.MaxElements == resourcev1.DeviceAttributeMaxValueLength && (t.CelType() == cel.AnyType || t.CelType() == cel.DynType)
}

// EstimateCallCost leaves the cost of calls to the library.
func (d *devices) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
