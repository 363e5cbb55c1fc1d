package expression

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Selectors of devices see one variable, the device, of which the sizes are known; so what an
// expression costs at most is known as well: kubernetes/dynamic-resource-allocation:cel/compile.go.

const deviceVariable = "device"

// CheckDeviceSelector validates the expression of a device selector. stored says that the object had it before.
// Lists of attributes, which need an alpha gate, are not supported.
func (c *Compiler) CheckDeviceSelector(expression string, stored bool, path *field.Path) field.ErrorList {
	env, err := c.devices.environment(modeFor(stored))
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	ast, issues := compileIn(env, expression)
	if issues != nil {
		return field.ErrorList{field.Invalid(path, expression, "compilation failed: "+issues.String())}
	}
	if got := ast.OutputType(); !got.IsExactType(cel.BoolType) && !got.IsExactType(cel.AnyType) {
		return field.ErrorList{field.Invalid(path, expression, "must evaluate to bool or the unknown type, not "+got.String())}
	}
	cost, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: c.devices})
	if err != nil {
		return field.ErrorList{field.InternalError(path, &apiservercel.Error{Type: apiservercel.ErrorTypeInternal, Detail: "cost estimation failed: " + err.Error()})}
	}
	if cost.Max > resourcev1.CELSelectorExpressionMaxCost {
		return field.ErrorList{field.Forbidden(path, "too complex, exceeds cost limit")}
	}
	return nil
}

// devices are what selectors see of devices in a release.
type devices struct {
	declared    func() *apiservercel.DeclType
	environment func(mode) (*cel.Env, error)
}

var _ checker.CostEstimator = (*devices)(nil)

func newDevices(r *kubeversion.Release, base func(mode) (*cel.Env, error)) *devices {
	d := &devices{}
	d.environment = inEachMode(func(m mode) (*cel.Env, error) {
		env, err := base(m)
		if err != nil {
			return nil, err
		}
		visible := deviceType(r.Has(kubeversion.DeviceCapacityInCEL)) // the gate DRAConsumableCapacity
		types, err := typesFor(env, m.keywords(r.Minor), visible)
		if err != nil {
			return nil, err
		}
		return env.Extend(append(types, ext.Bindings(ext.BindingsVersion(0)), cel.Variable(deviceVariable, visible.CelType()))...)
	})
	// Sizes are estimated with all fields, whatever a release has.
	d.declared = sync.OnceValue(func() *apiservercel.DeclType { return deviceType(true) })
	return d
}

// deviceType declares a device: its attributes and capacities are in maps, by the domain and then
// the rest of their names.
func deviceType(shared bool) *apiservercel.DeclType {
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
	declare("attributes", byName(sized(apiservercel.AnyType, resourcev1.DeviceAttributeMaxValueLength)))
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

// EstimateSize returns the most that a part of a device can contain. A field of an unknown name
// is an attribute or nothing.
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
	return t != nil && t.MaxElements == resourcev1.DeviceAttributeMaxValueLength && t.CelType() == cel.AnyType
}

// EstimateCallCost leaves what calls cost to the library.
func (d *devices) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
