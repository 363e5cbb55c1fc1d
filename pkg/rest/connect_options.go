package rest

import (
	"fmt"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// connectOptions reads the options of a connect subresource from the query. Unknown parameters are ignored, and there
// is no defaulting: the defaults of these kinds apply to a body, and there is none. path is what follows proxy in the
// URL; a path in the query is ignored.
func connectOptions(kind schema.GroupVersionKind, q url.Values, path string) (runtime.Object, error) {
	meta := metav1.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}
	switch kind.Kind {
	case "PodExecOptions":
		return &corev1.PodExecOptions{
			TypeMeta:  meta,
			Stdin:     boolean(q, "stdin"),
			Stdout:    boolean(q, "stdout"),
			Stderr:    boolean(q, "stderr"),
			TTY:       boolean(q, "tty"),
			Container: q.Get("container"),
			Command:   q["command"],
		}, nil
	case "PodAttachOptions":
		return &corev1.PodAttachOptions{
			TypeMeta:  meta,
			Stdin:     boolean(q, "stdin"),
			Stdout:    boolean(q, "stdout"),
			Stderr:    boolean(q, "stderr"),
			TTY:       boolean(q, "tty"),
			Container: q.Get("container"),
		}, nil
	case "PodPortForwardOptions":
		o := &corev1.PodPortForwardOptions{TypeMeta: meta}
		asked := q["ports"]
		if err := metav1.Convert_Slice_string_To_Slice_int32(&asked, &o.Ports, nil); err != nil {
			return nil, badRequest("%s", err)
		}
		return o, nil
	case "PodProxyOptions":
		return &corev1.PodProxyOptions{TypeMeta: meta, Path: path}, nil
	case "ServiceProxyOptions":
		return &corev1.ServiceProxyOptions{TypeMeta: meta, Path: path}, nil
	case "NodeProxyOptions":
		return &corev1.NodeProxyOptions{TypeMeta: meta, Path: path}, nil
	}
	return nil, fmt.Errorf("no options of kind %s", kind)
}

// boolean reads a boolean: absent, 0 and false are false, and everything else is true.
func boolean(q url.Values, name string) bool {
	given := q[name]
	var value bool
	_ = runtime.Convert_Slice_string_To_bool(&given, &value, nil) // never fails
	return value
}
