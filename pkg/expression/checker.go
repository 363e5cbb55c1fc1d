package expression

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"

	"github.com/admsim/admsim/internal/celquirks"
)

// compileIn compiles a text. A literal with nothing but optional entries of unknown type, such as {?'n':
// object.data[?'a']}, makes cel-go's checker panic, and with it a server that gets such a policy; here it is an issue
// like others, until it is written (W-344).
func compileIn(env *cel.Env, text string, former celquirks.Former) (ast *cel.Ast, issues *cel.Issues) {
	defer func() {
		if r := recover(); r != nil {
			errs := common.NewErrors(common.NewTextSource(text))
			errs.ReportError(common.NewLocation(1, 0), "%s", celquirks.CheckerPanics+fmt.Sprint(r))
			ast, issues = nil, cel.NewIssues(errs)
		}
	}()
	return former.Compile(env, text)
}
