package celquirks

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
)

// bindings are the types that stand for type parameters, by their names. A nil type is that of a call without a type.
type bindings map[string]*types.Type

func (b bindings) find(t *types.Type) (of *types.Type, ok bool) {
	if t.Kind() != types.TypeParamKind {
		return nil, false
	}
	of, ok = b[t.TypeName()]
	return of, ok
}

// substituted returns a type in which type parameters are replaced. Those that stand for nothing become dyn if dyn says so.
func (b bindings) substituted(t *types.Type, dyn bool) *types.Type {
	if of, ok := b.find(t); ok {
		return b.substituted(of, dyn)
	}
	parameters := make([]*types.Type, len(t.Parameters()))
	for i, p := range t.Parameters() {
		parameters[i] = b.substituted(p, dyn)
	}
	switch t.Kind() {
	case types.TypeParamKind:
		if dyn {
			return types.DynType
		}
	case types.OpaqueKind:
		return types.NewOpaqueType(t.TypeName(), parameters...)
	case types.ListKind:
		return types.NewListType(parameters[0])
	case types.MapKind:
		return types.NewMapType(parameters[0], parameters[1])
	case types.TypeKind:
		if len(parameters) > 0 {
			return types.NewTypeTypeWithParam(parameters[0])
		}
	}
	return t
}

// assign reports whether all types can be assigned to the others, and adds what follows for type parameters if they can.
func (b bindings) assign(from, to []*types.Type) bool {
	more := maps.Clone(b)
	if !more.assignableList(from, to) {
		return false
	}
	maps.Copy(b, more)
	return true
}

func (b bindings) assignableList(from, to []*types.Type) bool {
	if len(from) != len(to) {
		return false
	}
	for i := range from {
		if !b.assignable(from[i], to[i]) {
			return false
		}
	}
	return true
}

// assignable follows google/cel-go@v0.16.1:checker/types.go.
func (b bindings) assignable(from, to *types.Type) bool {
	if to.Kind() == types.TypeParamKind {
		switch ok, bound := b.bind(to, from); {
		case ok:
			return true
		case bound:
			return false
		}
	}
	if from.Kind() == types.TypeParamKind {
		ok, _ := b.bind(from, to)
		return ok
	}
	if isDynOrError(from) || isDynOrError(to) {
		return true
	}
	switch from.Kind() {
	case types.NullTypeKind:
		return isNullable(to)
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.IntKind, types.StringKind, types.UintKind:
		return to.IsAssignableType(from)
	}
	if from.Kind() != to.Kind() {
		return false
	}
	switch from.Kind() {
	case types.TypeKind, types.DurationKind, types.TimestampKind:
		return true
	case types.StructKind:
		return from.TypeName() == to.TypeName()
	case types.ListKind, types.MapKind, types.OpaqueKind:
		return from.TypeName() == to.TypeName() && b.assignableList(from.Parameters(), to.Parameters())
	}
	return false
}

// bind lets a type parameter stand for a type, and reports whether it can. bound says whether it stood for another one.
func (b bindings) bind(parameter, t *types.Type) (ok, bound bool) {
	if exact(parameter, t) {
		return true, true
	}
	old, bound := b.find(parameter)
	switch {
	case bound && exact(old, t):
		return true, true
	case bound && !b.assignable(t, old):
		return false, true
	case bound:
		t = mostGeneral(t, old)
	}
	if !b.occurs(parameter, t) {
		b[parameter.TypeName()] = t
		return true, bound
	}
	return bound, bound
}

// occurs reports whether a type parameter is a part of a type.
func (b bindings) occurs(parameter, within *types.Type) bool {
	if exact(parameter, within) {
		return true
	}
	if of, ok := b.find(within); ok {
		return b.occurs(parameter, of)
	}
	for _, p := range within.Parameters() {
		if b.occurs(parameter, p) {
			return true
		}
	}
	return false
}

func exact(a, b *types.Type) bool { return a == b || a.IsExactType(b) }

func isDyn(t *types.Type) bool { return t.Kind() == types.DynKind || t.Kind() == types.AnyKind }

func isDynOrError(t *types.Type) bool { return isDyn(t) || t.Kind() == types.ErrorKind }

func isNullable(t *types.Type) bool {
	switch t.Kind() {
	case types.OpaqueKind, types.StructKind, types.NullTypeKind, types.DurationKind, types.TimestampKind:
		return true
	}
	return t.IsAssignableType(types.NullType) // a wrapper
}

// mostGeneral returns the more general of two types of which one can be assigned to the other.
func mostGeneral(a, b *types.Type) *types.Type {
	if isAtLeastAsGeneral(a, b) {
		return a
	}
	return b
}

func isAtLeastAsGeneral(a, b *types.Type) bool {
	switch {
	case isDyn(a) || a.Kind() == types.TypeParamKind:
		return true
	case isDyn(b) || b.Kind() == types.TypeParamKind || a.Kind() != b.Kind():
		return false
	}
	switch a.Kind() {
	case types.TypeKind:
		return true
	case types.ListKind, types.MapKind, types.OpaqueKind:
		if a.TypeName() != b.TypeName() || len(a.Parameters()) != len(b.Parameters()) {
			return false
		}
		for i, p := range a.Parameters() {
			if !isAtLeastAsGeneral(p, b.Parameters()[i]) {
				return false
			}
		}
		return true
	}
	return exact(a, b)
}

// The names of the type of optional values.
const (
	optionalType       = "optional_type"
	formerOptionalType = "optional"
)

func unwrapped(t *types.Type) (of *types.Type, optional bool) {
	if t.Kind() == types.OpaqueKind && t.TypeName() == optionalType && len(t.Parameters()) == 1 {
		return t.Parameters()[0], true
	}
	return t, false
}

// name returns a type as errors show it.
func (c *formerChecker) name(t *types.Type) string {
	switch t.Kind() {
	case types.UnspecifiedKind:
		return "<nil>"
	case types.TypeParamKind:
		if c.former.before(parametersReplaced) {
			return asProto(t)
		}
		return t.TypeName()
	case types.ListKind, types.MapKind, types.OpaqueKind, types.TypeKind:
		if len(t.Parameters()) > 0 {
			name := t.TypeName()
			if name == optionalType {
				name = formerOptionalType
			}
			return fmt.Sprintf("%s(%s)", name, c.names(t.Parameters()))
		}
	}
	return checker.FormatCELType(t)
}

func (c *formerChecker) names(all []*types.Type) string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = c.name(t)
	}
	return strings.Join(names, ", ")
}

// asProto returns a type as the text of a protocol buffer, which a few errors show. A message with several fields has one
// space between them here; the server has one or two, which depends on its binary.
func asProto(t *types.Type) string {
	switch t.Kind() {
	case types.UnspecifiedKind:
		return "<nil>"
	case types.DynKind:
		return "dyn:{}"
	case types.ErrorKind:
		return "error:{}"
	case types.NullTypeKind:
		return "null:NULL_VALUE"
	case types.AnyKind, types.DurationKind, types.TimestampKind:
		return "well_known:" + strings.ToUpper(checker.FormatCELType(t))
	case types.StructKind:
		return fmt.Sprintf("message_type:%q", t.TypeName())
	case types.TypeParamKind:
		return fmt.Sprintf("type_param:%q", t.TypeName())
	case types.ListKind:
		return fmt.Sprintf("list_type:{elem_type:{%s}}", asProto(t.Parameters()[0]))
	case types.MapKind:
		return fmt.Sprintf("map_type:{key_type:{%s} value_type:{%s}}", asProto(t.Parameters()[0]), asProto(t.Parameters()[1]))
	case types.TypeKind:
		if len(t.Parameters()) == 0 {
			return "type:{}"
		}
		return fmt.Sprintf("type:{%s}", asProto(t.Parameters()[0]))
	case types.IntKind:
		return "primitive:INT64"
	case types.UintKind:
		return "primitive:UINT64"
	}
	return "primitive:" + strings.ToUpper(t.TypeName())
}
