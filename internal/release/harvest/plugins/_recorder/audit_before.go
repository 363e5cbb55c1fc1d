//go:build go1.21

package recorder

import (
	"context"
	"reflect"

	"k8s.io/apiserver/pkg/audit"
)

// withAudit returns a context with an audit event, and a function that adds the annotations of the event to others.
// Releases differ in the type of the event.
func withAudit(ctx context.Context) (context.Context, func(map[string]string)) {
	if ctx == nil || audit.AuditContextFrom(ctx) != nil {
		return ctx, func(map[string]string) {}
	}
	with := reflect.ValueOf(audit.WithAuditContext)
	arguments := []reflect.Value{reflect.ValueOf(ctx)}
	if with.Type().NumIn() > 1 {
		arguments = append(arguments, reflect.New(with.Type().In(1).Elem()))
	}
	ctx = with.Call(arguments)[0].Interface().(context.Context)
	event := reflect.ValueOf(audit.AuditContextFrom(ctx)).Elem().FieldByName("Event")
	if event.Kind() == reflect.Ptr {
		event.Set(reflect.New(event.Type().Elem()))
		event = event.Elem()
	}
	event.FieldByName("Level").SetString("Metadata")
	return ctx, func(all map[string]string) {
		for key, value := range event.FieldByName("Annotations").Interface().(map[string]string) {
			all[key] = value
		}
	}
}
