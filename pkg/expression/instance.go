package expression

import (
	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// In 1.30, selectors of instances see the attributes of an instance in one variable per type:
// kubernetes/dynamic-resource-allocation@v0.30.14:structured/namedresources/cel/compile.go.
func instanceVariables() map[string]*cel.Type {
	return map[string]*cel.Type{
		"attributes.quantity":    apiservercel.QuantityType,
		"attributes.bool":        cel.BoolType,
		"attributes.int":         cel.IntType,
		"attributes.intslice":    cel.ListType(cel.IntType),
		"attributes.string":      cel.StringType,
		"attributes.stringslice": cel.ListType(cel.StringType),
		"attributes.version":     apiservercel.SemverType,
	}
}

// instanceEnvironments returns the environments of selectors of instances.
func instanceEnvironments(base func(mode) (*cel.Env, error)) func(mode) (*cel.Env, error) {
	return inEachMode(func(m mode) (*cel.Env, error) {
		env, err := base(m)
		if err != nil {
			return nil, err
		}
		var options []cel.EnvOption
		if !env.HasFunction("semver") {
			options = append(options, library.SemverLib(library.SemverVersion(0)))
		}
		for name, t := range instanceVariables() {
			options = append(options, cel.Variable(name, cel.MapType(cel.StringType, t)))
		}
		return env.Extend(options...)
	})
}

// CheckInstanceSelector validates a selector of instances in parameters of resource.k8s.io/v1alpha2. stored says that the
// object already had it.
func (c *Compiler) CheckInstanceSelector(expression string, stored bool, path *field.Path) field.ErrorList {
	env, err := c.instances(modeFor(stored))
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	ast, issues := compileIn(env, expression, c.written.library.former)
	if issues != nil {
		return field.ErrorList{field.Invalid(path, expression, "compilation failed: "+issues.String())}
	}
	if ast.OutputType() != cel.BoolType {
		return field.ErrorList{field.Invalid(path, expression, "must evaluate to "+cel.BoolType.String())}
	}
	return nil
}
