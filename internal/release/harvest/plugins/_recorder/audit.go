//go:build go1.21

package recorder

import (
	"context"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
)

// withAudit returns a context with an audit event, and a function that adds the annotations of the event to others.
func withAudit(ctx context.Context) (context.Context, func(map[string]string)) {
	if ctx == nil || audit.AuditContextFrom(ctx) != nil {
		return ctx, func(map[string]string) {}
	}
	ctx = audit.WithAuditContext(ctx)
	event := audit.AuditContextFrom(ctx)
	_ = event.Init(audit.RequestAuditConfig{Level: auditinternal.LevelMetadata}, nil)
	return ctx, func(all map[string]string) {
		for key, value := range event.GetEventAnnotations() {
			all[key] = value
		}
	}
}
