//go:build go1.21

package recorder

import "context"

func withWarnings(ctx context.Context, _ *call) context.Context { return ctx }
