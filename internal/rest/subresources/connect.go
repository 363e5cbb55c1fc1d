package subresources

import (
	"errors"
	"fmt"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An unsimulated error is about what the server would connect to next: kubelets, and what runs in pods. Whatever it
// says, the server itself has allowed the request.
type unsimulated struct{ error }

func (e unsimulated) Unwrap() error { return e.error }

// Connect returns why the server does not connect to what the options of an admitted request name (W-020, PL-23).
// Nothing runs in a simulated cluster, so it never does: refusal is the first error that the server would find. connects
// reports that it would have connected. Options of any other kind are an error of the caller.
func (r Request) Connect(options runtime.Object) (refusal error, connects bool, err error) {
	switch o := options.(type) {
	case *corev1.PodExecOptions:
		refusal = r.container(o.Container)
	case *corev1.PodAttachOptions:
		refusal = r.container(o.Container)
	case *corev1.PodPortForwardOptions:
		refusal = r.kubelet()
	case *corev1.PodProxyOptions:
		refusal = r.podProxy()
	case *corev1.ServiceProxyOptions:
		refusal = r.serviceProxy()
	case *corev1.NodeProxyOptions:
		refusal = r.nodeProxy()
	default:
		return nil, false, fmt.Errorf("connecting with a %T", options)
	}
	return refusal, errors.As(refusal, &unsimulated{}), nil
}

// errNoUpgrade is the error for a streaming request without an upgrade, which is every such request here.
func errNoUpgrade() error { return badRequest("Upgrade request required") }

// unreachable returns the error where the server would have connected.
func unreachable() error {
	return apierrors.NewServiceUnavailable("error trying to reach service: nothing runs in a simulated cluster")
}

// ConnectOptions reads the options of a connect subresource from the query. Unknown parameters are ignored, and there
// is no defaulting: the defaults of these kinds apply to a body, and there is none. path is what follows proxy in the
// URL; a path in the query is ignored.
func ConnectOptions(kind schema.GroupVersionKind, q url.Values, path string) (runtime.Object, error) {
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
