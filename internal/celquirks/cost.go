package celquirks

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// EstimatesCosts reports whether the library estimates costs as [Former.Cost] does.
func (f Former) EstimatesCosts() bool { return f.before(entriesSized) }

// Cost estimates the cost of a checked expression as libraries before 0.23 do, which do not know the sizes of the elements
// of literals (W-354): google/cel-go@v0.22.0:checker/cost.go.
func (f Former) Cost(checked *cel.Ast, estimator checker.CostEstimator) checker.CostEstimate {
	c := &formerCoster{
		former: f, checked: checked.NativeRep(), estimator: estimator,
		paths: map[int64][]string{}, ranges: map[string][]ast.Expr{}, sizes: map[int64]checker.SizeEstimate{},
	}
	return c.cost(checked.NativeRep().Expr())
}

type formerCoster struct {
	former    Former
	checked   *ast.AST
	estimator checker.CostEstimator
	paths     map[int64][]string             // of the parts of variables
	ranges    map[string][]ast.Expr          // over which the variables of macros run, innermost last
	sizes     map[int64]checker.SizeEstimate // of results
}

// A costNode is an expression as an estimator sees it.
type costNode struct {
	expr ast.Expr
	t    *types.Type
	path []string
	size *checker.SizeEstimate
}

func (n costNode) Path() []string                      { return n.path }
func (n costNode) Type() *types.Type                   { return n.t }
func (n costNode) Expr() ast.Expr                      { return n.expr }
func (n costNode) ComputedSize() *checker.SizeEstimate { return n.size }

func (c *formerCoster) node(e ast.Expr) checker.AstNode {
	n := costNode{expr: e, t: c.checked.GetType(e.ID()), path: c.paths[e.ID()]}
	if len(n.path) > 0 && (n.path[0] == parser.AccumulatorName || n.path[0] == parser.HiddenAccumulatorName) {
		n.path = nil
	}
	if size, ok := c.sizes[e.ID()]; ok {
		n.size = &size
	} else if size, ok := c.written(e); ok {
		n.size = &checker.SizeEstimate{Min: size, Max: size}
	}
	return n
}

// written returns the size of a literal.
func (c *formerCoster) written(e ast.Expr) (size uint64, ok bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch value := e.AsLiteral().(type) {
		case types.String:
			if c.former.before(optionalSyntax) {
				return uint64(len(value)), true
			}
			return uint64(len([]rune(value))), true
		case types.Bytes:
			return uint64(len(value)), true
		}
		return 1, true
	case ast.ListKind:
		return uint64(e.AsList().Size()), true
	case ast.MapKind:
		return uint64(e.AsMap().Size()), true
	}
	return 0, false
}

func fixedCost(cost uint64) checker.CostEstimate { return checker.CostEstimate{Min: cost, Max: cost} }

func (c *formerCoster) cost(e ast.Expr) checker.CostEstimate {
	switch e.Kind() {
	case ast.LiteralKind:
		return fixedCost(common.ConstCost)
	case ast.IdentKind:
		return c.ident(e)
	case ast.SelectKind:
		return c.selection(e)
	case ast.CallKind:
		return c.call(e)
	case ast.ListKind:
		return c.sum(e.AsList().Elements()).Add(fixedCost(common.ListCreateBaseCost))
	case ast.MapKind:
		sum := fixedCost(common.MapCreateBaseCost)
		for _, entry := range e.AsMap().Entries() {
			sum = sum.Add(c.cost(entry.AsMapEntry().Key())).Add(c.cost(entry.AsMapEntry().Value()))
		}
		return sum
	case ast.StructKind:
		sum := fixedCost(common.StructCreateBaseCost)
		for _, field := range e.AsStruct().Fields() {
			sum = sum.Add(c.cost(field.AsStructField().Value()))
		}
		return sum
	case ast.ComprehensionKind:
		return c.comprehension(e)
	}
	return checker.CostEstimate{}
}

func (c *formerCoster) sum(all []ast.Expr) (sum checker.CostEstimate) {
	for _, e := range all {
		sum = sum.Add(c.cost(e))
	}
	return sum
}

func (c *formerCoster) ident(e ast.Expr) checker.CostEstimate {
	name := e.AsIdent()
	if ranges := c.ranges[name]; len(ranges) > 0 {
		over := ranges[len(ranges)-1].ID()
		switch c.checked.GetType(over).Kind() {
		case types.ListKind:
			c.paths[e.ID()] = within(c.paths[over], "@items")
		case types.MapKind:
			c.paths[e.ID()] = within(c.paths[over], "@keys")
		}
	} else {
		c.paths[e.ID()] = []string{name}
	}
	return fixedCost(common.SelectAndIdentCost)
}

func within(path []string, part string) []string { return append(path[:len(path):len(path)], part) }

func (c *formerCoster) selection(e ast.Expr) checker.CostEstimate {
	s := e.AsSelect()
	if s.IsTestOnly() && c.former.before(optionalSyntax) {
		return checker.CostEstimate{}
	}
	cost := c.cost(s.Operand())
	if s.IsTestOnly() {
		if c.former.before(checkedNatively) {
			return cost.Add(fixedCost(common.SelectAndIdentCost)) // later, servers switched that off
		}
		return cost
	}
	switch c.checked.GetType(s.Operand().ID()).Kind() {
	case types.MapKind, types.StructKind, types.TypeParamKind:
		cost = cost.Add(fixedCost(common.SelectAndIdentCost))
	}
	c.paths[e.ID()] = within(c.paths[s.Operand().ID()], s.FieldName())
	return cost
}

func (c *formerCoster) call(e ast.Expr) checker.CostEstimate {
	call := e.AsCall()
	args, costs := make([]checker.AstNode, len(call.Args())), make([]checker.CostEstimate, len(call.Args()))
	for i, arg := range call.Args() {
		costs[i] = c.cost(arg)
		args[i] = c.node(arg)
	}
	ids := c.checked.GetOverloadIDs(e.ID())
	if len(ids) == 0 {
		return checker.CostEstimate{}
	}
	var sum checker.CostEstimate
	var target *checker.AstNode
	if call.IsMemberFunction() {
		sum = c.cost(call.Target())
		n := c.node(call.Target())
		target = &n
	}
	all := checker.CostEstimate{Min: math.MaxUint64}
	var size *checker.SizeEstimate
	for _, id := range ids {
		estimate := c.overload(call.FunctionName(), id, target, args, costs)
		all = all.Union(estimate.CostEstimate)
		switch {
		case estimate.ResultSize != nil && size != nil:
			union := size.Union(*estimate.ResultSize)
			size = &union
		case estimate.ResultSize != nil:
			size = estimate.ResultSize
		}
		if len(args) > 0 && id == overloads.IndexList {
			c.paths[e.ID()] = within(c.paths[call.Args()[0].ID()], "@items")
		} else if len(args) > 0 && id == overloads.IndexMap {
			c.paths[e.ID()] = within(c.paths[call.Args()[0].ID()], "@values")
		}
	}
	if size != nil {
		c.sizes[e.ID()] = *size
	}
	return sum.Add(all)
}

func (c *formerCoster) comprehension(e ast.Expr) checker.CostEstimate {
	m := e.AsComprehension()
	cost := c.cost(m.IterRange()).Add(c.cost(m.AccuInit()))
	name := m.IterVar()
	c.ranges[name] = append(c.ranges[name], m.IterRange())
	loop := c.cost(m.LoopCondition())
	step := c.cost(m.LoopStep())
	c.ranges[name] = c.ranges[name][:len(c.ranges[name])-1]
	cost = cost.Add(c.cost(m.Result()))
	turns := c.size(c.node(m.IterRange()))
	if !c.former.before(macrosSized) {
		c.sizes[e.ID()] = turns
	}
	return cost.Add(turns.MultiplyByCost(step.Add(loop)))
}

func (c *formerCoster) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := c.estimator.EstimateSize(n); size != nil {
		return *size
	}
	switch n.Type().Kind() {
	case types.BoolKind, types.DoubleKind, types.DurationKind, types.IntKind, types.TimestampKind, types.UintKind:
		return checker.SizeEstimate{Min: 1, Max: 1}
	}
	return checker.SizeEstimate{Min: 0, Max: math.MaxUint64}
}

// overload estimates the cost of calling one overload with arguments of these costs.
func (c *formerCoster) overload(function, id string, target *checker.AstNode, args []checker.AstNode, costs []checker.CostEstimate) checker.CallEstimate {
	var sum checker.CostEstimate
	for _, cost := range costs {
		sum = sum.Add(cost)
	}
	call := func(cost checker.CostEstimate, size *checker.SizeEstimate) checker.CallEstimate {
		if c.former.before(resultsSized) && id != overloads.AddString && id != overloads.AddBytes && id != overloads.AddList {
			size = nil
		}
		return checker.CallEstimate{CostEstimate: cost.Add(sum), ResultSize: size}
	}
	if estimate := c.estimator.EstimateCallCost(function, id, target, args); estimate != nil {
		return call(estimate.CostEstimate, estimate.ResultSize)
	}
	traversed := func(n checker.AstNode) checker.CostEstimate {
		return c.size(n).MultiplyByCostFactor(common.StringTraversalCostFactor)
	}
	switch id {
	case overloads.ExtFormatString:
		return call(traversed(*target), nil)
	case overloads.StringToBytes:
		size := c.size(args[0])
		return call(traversed(args[0]), &checker.SizeEstimate{Min: size.Min, Max: size.Max * 4})
	case overloads.BytesToString:
		size := c.size(args[0])
		return call(traversed(args[0]), &checker.SizeEstimate{Min: size.Min / 4, Max: size.Max})
	case overloads.ExtQuoteString:
		size := c.size(args[0])
		return call(traversed(args[0]), &checker.SizeEstimate{Min: size.Min + 2, Max: size.Max*2 + 2})
	case overloads.StartsWithString, overloads.EndsWithString:
		return call(traversed(args[0]), nil)
	case overloads.InList:
		return call(c.size(args[1]).MultiplyByCostFactor(1), nil)
	case overloads.MatchesString:
		searched := c.size(*target).Add(checker.SizeEstimate{Min: 1, Max: 1}).MultiplyByCostFactor(common.StringTraversalCostFactor)
		return call(searched.Multiply(c.size(args[0]).MultiplyByCostFactor(common.RegexStringLengthCostFactor)), nil)
	case overloads.ContainsString:
		return call(traversed(*target).Multiply(traversed(args[0])), nil)
	case overloads.LogicalOr, overloads.LogicalAnd:
		return checker.CallEstimate{CostEstimate: checker.CostEstimate{Min: costs[0].Min, Max: costs[0].Add(costs[1]).Max}}
	case overloads.Conditional:
		size := c.size(args[1]).Union(c.size(args[2]))
		return checker.CallEstimate{CostEstimate: costs[0].Add(costs[1].Union(costs[2])), ResultSize: &size}
	case overloads.AddString, overloads.AddBytes:
		size := c.size(args[0]).Add(c.size(args[1]))
		return call(size.MultiplyByCostFactor(common.StringTraversalCostFactor), &size)
	case overloads.AddList:
		size := c.size(args[0]).Add(c.size(args[1]))
		return call(fixedCost(1), &size)
	case overloads.LessString, overloads.GreaterString, overloads.LessEqualsString, overloads.GreaterEqualsString,
		overloads.LessBytes, overloads.GreaterBytes, overloads.LessEqualsBytes, overloads.GreaterEqualsBytes,
		overloads.Equals, overloads.NotEquals:
		most := min(c.size(args[0]).Max, c.size(args[1]).Max)
		compared := checker.CostEstimate{Min: min(most, 1), Max: most}
		return call(compared.MultiplyByCostFactor(common.StringTraversalCostFactor), nil)
	}
	return call(fixedCost(1), nil)
}
