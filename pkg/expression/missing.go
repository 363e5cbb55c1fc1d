package expression

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celcommon "github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/internal/missing"
)

// MissingFields returns the fields that expressions of a policy, or of the webhooks of a ValidatingWebhookConfiguration,
// use and that the objects they are about do not have. Unlike [Compiler.TypeCheck], which finds what the server finds, it looks at
// all expressions, and only returns what is certain:
//
//   - Kinds count if the policy and one of its bindings match them. bound are the resources of the bindings.
//   - If these are several kinds, an expression may ask which one it is about. A field that only some of them have is
//     missing only if the expression uses it for all of them.
//   - Fields that another release has may be missing behind has() or after ?., also of a field in place of them: that is
//     how to write one policy for several releases.
func (c *Compiler) MissingFields(
	object runtime.Object, bound []*admissionregistrationv1.MatchResources, schemas missing.Schemas, resources meta.RESTMapper,
) (found []missing.Fields) {
	environments := map[schema.GroupVersionKind]typedKind{}
	for _, g := range groupsOf(object) {
		found = append(found, g.missing(c.stored, bound, schemas, resources, environments)...)
	}
	return found
}

// A typedKind is an environment in which object has the fields of a kind.
type typedKind struct {
	boundKind
	env *cel.Env
}

// missing returns the missing fields of the expressions of a group. Groups without params and variables share
// environments.
func (g *group) missing(
	d *dialect, bound []*admissionregistrationv1.MatchResources, schemas missing.Schemas, resources meta.RESTMapper, shared map[schema.GroupVersionKind]typedKind,
) (found []missing.Fields) {
	if !slices.ContainsFunc(g.expressions, used.readsObjects) {
		return nil
	}
	matched, all := kindsOfRules(g.rules, resources)
	check := missingCheck{schemas: schemas, params: paramKindOf(g.params), all: all}
	for _, kind := range boundKinds(matched, bound, resources) {
		t, known := shared[kind.kind]
		if !known {
			var err error
			if t, err = g.typed(d, kind, schemas); err != nil {
				return nil
			}
			if g.params == nil && len(g.variables) == 0 && !g.patches {
				shared[kind.kind] = t
			}
		}
		check.types = append(check.types, t)
	}
	if len(check.types) == 0 {
		return nil
	}
	var parsed []parsedUse
	for _, e := range g.expressions {
		ast, issues := check.types[0].env.Parse(e.text)
		if issues.Err() != nil {
			continue // reported when the object is validated
		}
		parsed = append(parsed, parsedUse{e, usesOf(ast.NativeRep().Expr())})
	}
	check.guarded = map[string]bool{}
	for _, p := range parsed {
		if p.guards {
			maps.Copy(check.guarded, p.uses.tested)
		}
	}
	for _, p := range parsed {
		if m := check.missing(p); len(m.Problems) > 0 {
			m.Webhook = g.webhook
			found = append(found, m)
		}
	}
	return found
}

// typed returns the environment of a group for one of its kinds.
func (g *group) typed(d *dialect, of boundKind, schemas missing.Schemas) (typedKind, error) {
	kind := of.kind
	object, _ := declared(kind, kind.Kind, schemas.Of)
	var params *apiservercel.DeclType
	paramKind := paramKindOf(g.params)
	if !paramKind.Empty() {
		params, _ = declared(paramKind, paramKind.Kind+ofParams, schemas.Of)
	}
	env, err := d.typedEnvironment(object, params, !paramKind.Empty())
	if err != nil {
		return typedKind{}, err
	}
	// The server's checker does not know this variable.
	options := []cel.EnvOption{cel.Variable(requestResourceVariable, library.ResourceCheckType)}
	if g.patches {
		root, _ := schemas.Of(kind)
		options = append(options, common.ResolverEnvOption(objectTypes{root}), library.JSONPatch())
	}
	if env, err = env.Extend(options...); err != nil {
		return typedKind{}, err
	}
	if env, err = typedVariables(env, d.library.former, g.variables); err != nil {
		return typedKind{}, err
	}
	return typedKind{of, env}, nil
}

// A missingCheck finds the missing fields of the expressions of a group.
type missingCheck struct {
	schemas missing.Schemas
	types   []typedKind
	all     bool // types are all kinds that the rules match
	params  schema.GroupVersionKind
	guarded map[string]bool // what match conditions and variables look for with has() or ?.
}

type parsedUse struct {
	used
	uses uses
}

// An issue is what is wrong with a part of an expression for one kind.
type issue struct {
	*celcommon.Error
	kind     schema.GroupVersionKind // of the object, or of the params
	inParams bool
	missing  *missing.Field // nil if it is something else
}

func (c *missingCheck) missing(p parsedUse) missing.Fields {
	all, found := make([][]issue, len(c.types)), make([][]issue, len(c.types))
	at := make([]map[int64]bool, len(c.types)) // the parts of the expression that found has issues about
	for i, t := range c.types {
		all[i] = c.issues(t, p.text)
		found[i] = c.harmful(all[i], p)
		at[i] = map[int64]bool{}
		for _, one := range found[i] {
			at[i][one.ExprID] = true
		}
	}
	// There is an issue for every kind if it is one for the kinds for which the expression gets there.
	everywhere := func(id int64) bool {
		return !slices.ContainsFunc(at, func(issues map[int64]bool) bool {
			return !issues[id] && !p.uses.isAfter(id, func(part int64) bool { return issues[part] })
		})
	}
	r := missingReport{of: p, types: c.types, all: all}
	for i, t := range c.types {
		for _, one := range found[i] {
			if (c.all || one.inParams) && everywhere(one.ExprID) || t.always && p.always && p.uses.always[one.ExprID] {
				r.add(one)
			}
		}
	}
	return r.fields()
}

// harmful leaves out the issues in spite of which an expression works.
func (c *missingCheck) harmful(all []issue, p parsedUse) []issue {
	absent := map[string]bool{} // fields that only other releases have
	for _, one := range all {
		if one.missing != nil && c.schemas.Elsewhere(*one.missing) {
			absent[p.uses.paths[one.ExprID]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(one issue) bool {
		if path := p.uses.paths[one.ExprID]; one.missing != nil {
			return absent[path] && (p.uses.tested[path] || c.guarded[path] || p.uses.awaits(one.ExprID, absent))
		}
		return harmless(one.Message)
	})
}

// issues returns what the checker finds in an expression for one kind.
func (c *missingCheck) issues(t typedKind, text string) (found []issue) {
	misses := &missRecorder{}
	env, err := t.env.Extend(misses.option())
	if err != nil {
		return nil
	}
	_, issues := compileIn(env, text, celquirks.Former{})
	for _, err := range issues.Errors() {
		said := *err
		if said.Message = asMutation(err.Message); said.Message == "" {
			continue
		}
		one := issue{Error: &said, kind: t.kind}
		if name := undefined.FindStringSubmatch(err.Message); name != nil {
			if m, ok := misses.next(name[1]); ok {
				if one.missing = c.missingField(t.kind, m); one.missing != nil {
					one.kind, one.inParams = one.missing.Kind, c.isOfParams(m)
				}
			}
		}
		found = append(found, one)
	}
	return found
}

// missingField returns the field that a type does not have. The names of types are paths that begin with the kind.
func (c *missingCheck) missingField(kind schema.GroupVersionKind, m miss) *missing.Field {
	root, path, _ := strings.Cut(m.ofType, ".")
	switch {
	case c.isOfParams(m):
		kind = c.params
	case root != kind.Kind && root != "Object": // of neither the object that is read, nor that which is applied
		return nil
	}
	path = strings.NewReplacer(".@idx", "[]", ".@elem", "[]").Replace(path)
	return &missing.Field{Kind: kind, Path: strings.TrimPrefix(path+"."+m.field, ".")}
}

func (c *missingCheck) isOfParams(m miss) bool {
	root, _, _ := strings.Cut(m.ofType, ".")
	return !c.params.Empty() && root == c.params.Kind+ofParams
}

// harmless reports whether an expression works in spite of what the checker says about types: it knows more about them
// than there is when the expression runs.
func harmless(message string) bool {
	call := noOverload.FindStringSubmatch(message)
	switch {
	case strings.HasPrefix(message, "expected type '"): // items of a list that have several types
		return true
	case call == nil:
		return strings.HasPrefix(message, "expression of type") && objectOperand.MatchString(message) // a map has keys
	}
	switch function, operands := call[1], call[2]; function {
	case operators.Conditional, "orValue", "or": // either value may have any type
		return true
	case operators.Equals, operators.NotEquals:
		return strings.Contains(operands, "null") || !scalarOperand.MatchString(operands)
	default:
		return objectOperand.MatchString(operands) || function == operators.Add && strings.Contains(operands, "list(")
	}
}

// Objects have types of their own only in the checker. When expressions run, objects are maps, and lists of them lists of
// maps.
var (
	noOverload    = regexp.MustCompile(`no matching overload for '([^']+)' applied to '(.*)'`)
	objectOperand = regexp.MustCompile(`[(' ]\p{Lu}`) // the name of a kind
	scalarOperand = regexp.MustCompile(`^\((?:bool|bytes|double|int|string|uint),|, (?:bool|bytes|double|int|string|uint)\)$`)
)

// A miss is a field that a type does not have.
type miss struct{ ofType, field string }

// A missRecorder records the fields that types do not have, in the order in which the checker looks them up.
type missRecorder struct {
	types.Provider
	misses []miss
}

// option makes an environment look up its types in the recorder.
func (r *missRecorder) option() cel.EnvOption {
	return func(e *cel.Env) (*cel.Env, error) {
		r.Provider = e.CELTypeProvider()
		return cel.CustomTypeProvider(r)(e)
	}
}

func (r *missRecorder) FindStructFieldType(ofType, field string) (*types.FieldType, bool) {
	t, ok := r.Provider.FindStructFieldType(ofType, field)
	if escaped, valid := apiservercel.Escape(field); !ok && valid { // only types have escaped names, not objects
		t, ok = r.Provider.FindStructFieldType(ofType, escaped)
	}
	if !ok {
		r.misses = append(r.misses, miss{ofType, field})
	}
	return t, ok
}

// next removes the first miss of a field.
func (r *missRecorder) next(field string) (miss, bool) {
	i := slices.IndexFunc(r.misses, func(m miss) bool { return m.field == field })
	if i < 0 {
		return miss{}, false
	}
	m := r.misses[i]
	r.misses = r.misses[i+1:]
	return m, true
}
