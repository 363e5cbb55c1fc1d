package expression

import "github.com/google/cel-go/cel"

// A source is an expression and its required type.
type source struct {
	text string
	want want
	name string // of a variable; empty for all others
}

// A want is the required type of an expression.
type want int

const (
	wantBool         want = iota
	wantString            // messageExpression
	wantStringOrNull      // auditAnnotations' valueExpression
	wantAnything          // variables
	wantObject            // applyConfiguration
	wantPatch             // jsonPatch
)

func (w want) types() []*cel.Type {
	switch w {
	case wantBool:
		return []*cel.Type{cel.BoolType}
	case wantString:
		return []*cel.Type{cel.StringType}
	case wantStringOrNull:
		return []*cel.Type{cel.StringType, cel.NullType}
	case wantAnything:
		return []*cel.Type{cel.AnyType, cel.DynType}
	case wantObject:
		return []*cel.Type{cel.ObjectType("Object")}
	case wantPatch:
		return []*cel.Type{cel.ListType(cel.ObjectType("JSONPatch"))}
	}
	panic("unknown type wanted")
}
