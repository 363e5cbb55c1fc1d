//go:build go1.21

package recorder

import (
	"context"

	"k8s.io/apiserver/pkg/warning"
)

type warnings struct {
	call *call
	ctx  context.Context
}

func (w warnings) AddWarning(agent, text string) {
	w.call.Warnings = append(w.call.Warnings, text)
	warning.AddWarning(w.ctx, agent, text)
}

// withWarnings passes on warnings, and notes them.
func withWarnings(ctx context.Context, c *call) context.Context {
	if ctx == nil {
		return nil
	}
	return warning.WithWarningRecorder(ctx, warnings{c, ctx})
}
