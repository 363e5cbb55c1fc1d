//go:build go1.21

package recorder

import (
	"context"
	"reflect"
	"strings"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // so that its gates are known before any test switches them
)

// defaults holds the gates before any test runs.
var defaults = func() map[featuregate.Feature]bool {
	on := map[featuregate.Feature]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		on[name] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return on
}()

// gatesOf returns the gates that differ from the defaults, globally or in a field of the plugin, which counts more.
func gatesOf(receiver interface{}, fields string) map[string]bool {
	differ := map[string]bool{}
	for name, on := range defaults {
		if now := utilfeature.DefaultFeatureGate.Enabled(name); now != on {
			differ[string(name)] = now
		}
	}
	of := map[string]string{}
	for _, pair := range strings.Split(fields, ",") {
		if field, gate, ok := strings.Cut(pair, "="); ok {
			of[field] = gate
		}
	}
	eachField(receiver, func(name string, f reflect.Value) {
		gate, ok := of[name]
		if !ok || f.Kind() != reflect.Bool {
			return
		}
		delete(differ, gate)
		if on, known := defaults[featuregate.Feature(gate)]; known && on != f.Bool() {
			differ[gate] = f.Bool()
		}
	})
	return differ
}

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
