package celquirks

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
)

// formerMacros are macros that say only of the whole call that an argument is wrong.
func formerMacros() (macros []cel.Macro) {
	expander := func(m cel.Macro) cel.MacroFactory {
		return func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			e, err := m.Expander()(f, target, args)
			if err != nil {
				err = &common.Error{Message: err.Message}
			}
			return e, err
		}
	}
	for _, m := range []cel.Macro{parser.HasMacro, parser.MapMacro, parser.MapFilterMacro, parser.FilterMacro} {
		if m.IsReceiverStyle() {
			macros = append(macros, cel.ReceiverMacro(m.Function(), m.ArgCount(), expander(m)))
		} else {
			macros = append(macros, cel.GlobalMacro(m.Function(), m.ArgCount(), expander(m)))
		}
	}
	return macros
}
