package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// Expressions are parsed into what they compare; parts that are not analyzed keep their text.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`request.operation == 'CREATE'`:             `call _==_(select operation(ident request), "CREATE")`,
		`!has(object.metadata.labels)`:              `call !_(has labels(select metadata(ident object)))`,
		`'a' in object.metadata.labels`:             `call @in("a", select labels(select metadata(ident object)))`,
		`a.b['c'].startsWith("d")`:                  `call startsWith(call _[_](select b(ident a), "c"), "d")`,
		`request.name in ['x', 'y']`:                `call @in(select name(ident request), list("x", "y"))`,
		`object == null || true`:                    `call _||_(call _==_(ident object, null), true)`,
		`object.?labels['x'].orValue('') `:          `call orValue(call _[_](call _?._(ident object, "labels"), "x"), "")`,
		`groups.exists(g,   g == 'admins')`:         `macro exists(ident groups, ident g, call _==_(ident g, "admins"))`,
		`a.all(x, b.exists(y, has(y.c)))`:           `macro all(ident a, ident x, macro exists(ident b, ident y, has c(ident y)))`,
		`this is no expression`:                     `other this is no expression`,
		`request.dryRun ? 1 + 2 == 3 : oldObject.x`: `call _?_:_(select dryRun(ident request), call _==_(call _+_(1, 2), 3), select x(ident oldObject))`,
	} {
		if got := show(Parse(text)); got != want {
			t.Errorf("Parse(%s) = %s, want %s", text, got, want)
		}
	}
}

// An expression that reads a field of a variable in every case fails if the variable is null.
func TestAlwaysReads(t *testing.T) {
	for text, want := range map[string]bool{
		`object.spec.replicas > 3`:                                 true,
		`object['spec'] == 1`:                                      true,
		`!has(object.spec.replicas)`:                               true,
		`has(object.spec)`:                                         false,
		`object == null || object.spec.x`:                          false,
		`object != null && object.spec.x`:                          false,
		`object.a && object.b || object.c`:                         true,
		`object.a ? true : false`:                                  true,
		`request.dryRun ? object.a : object.b`:                     true,
		`request.dryRun ? object.a : true`:                         false,
		`object.spec.containers.all(c, c.name == 'a')`:             true,
		`[1].all(i, object.a == i)`:                                false,
		`variables.list.transformList(i, v, object.a)`:             false,
		`optional.of(1).orValue(object.a) == 1`:                    false,
		`object.?spec.?replicas.orValue(1) > 1`:                    false,
		`oldObject.spec == 1`:                                      false,
		`cel.bind(object, oldObject, object.spec.replicas == 1)`:   false,
		`string(object.metadata.name).startsWith('a')`:             true,
		`['a', object.metadata.name].exists(x, x == request.name)`: true,
	} {
		if got := Parse(text).AlwaysReads("object"); got != want {
			t.Errorf("AlwaysReads(%s) = %v, want %v", text, got, want)
		}
	}
}

func show(x *Expr) string {
	parts := make([]string, len(x.Args))
	for i, one := range x.Args {
		parts[i] = show(one)
	}
	args := strings.Join(parts, ", ")
	switch x.Kind {
	case Ident:
		return "ident " + x.Name
	case Select:
		return fmt.Sprintf("select %s(%s)", x.Name, args)
	case Has:
		return fmt.Sprintf("has %s(%s)", x.Name, args)
	case Literal:
		switch value := x.Value.(type) {
		case nil:
			return "null"
		case string:
			return fmt.Sprintf("%q", value)
		default:
			return fmt.Sprint(value)
		}
	case List:
		return fmt.Sprintf("list(%s)", args)
	case Macro:
		return fmt.Sprintf("macro %s(%s)", x.Name, args)
	case Call:
		return fmt.Sprintf("call %s(%s)", x.Name, args)
	}
	return "other " + x.Text
}
