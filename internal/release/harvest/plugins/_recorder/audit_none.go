//go:build go1.21

package recorder

import "context"

func withAudit(ctx context.Context) (context.Context, func(map[string]string)) {
	return ctx, func(map[string]string) {}
}
