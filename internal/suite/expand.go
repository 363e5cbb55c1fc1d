package suite

import (
	"context"
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/expect"
)

// expand sends the requests that controllers would send because of the workload in an answer, one after the other. A
// denied request has no successors. If nothing is expected of a request, it has to be admitted.
func (x *execution) expand(ctx context.Context, answer int, children map[string][]scenario.Expect, prefix string) error {
	seen := map[string]bool{}
	for parent := x.answers[answer]; ; {
		child, asked, result, err := x.client.SendNext(ctx, parent.Asked, parent.Result)
		if err != nil {
			return err
		}
		if child == nil {
			break
		}
		parent = expect.Answer{Label: child.Kind, Asked: asked, Result: result}
		position := x.note(parent)
		seen[child.Kind] = true
		x.judge.CheckChild(ctx, position, parent, child.Kind, child.By, children[child.Kind], prefix)
	}
	for _, kind := range slices.Sorted(maps.Keys(children)) {
		for _, e := range children[kind] {
			if !seen[kind] {
				x.judge.NoChild(len(x.answers)-1, kind, e, prefix)
			}
		}
	}
	return nil
}
