package objects_test

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// counted allocates ports from 30001 on, and a single address.
type counted struct{ port int32 }

func (c *counted) Families() []corev1.IPFamily { return []corev1.IPFamily{corev1.IPv4Protocol} }

func (c *counted) Address(_ corev1.IPFamily, ip string) (taken, refused string) {
	if ip == "" {
		ip = "10.0.0.1"
	}
	return ip, ""
}

func (c *counted) Port(port int32) (taken int32, refused string) {
	if port == 0 {
		c.port++
		port = 30000 + c.port
	}
	if port < 30000 {
		return port, "no such port"
	}
	return port, ""
}

// allocated allocates addresses and ports for a service; other objects are returned as they are.
func allocated(t *testing.T, types *objects.Types, obj, old runtime.Object, w objects.Write) runtime.Object {
	t.Helper()
	s, ok := obj.(*corev1.Service)
	if !ok || w.Subresource != "" {
		return obj
	}
	before, _ := old.(*corev1.Service)
	s, wrong, err := types.Allocate(s, before, &counted{}, w)
	if err != nil || len(wrong) > 0 {
		t.Fatal(wrong, err)
	}
	return s
}

// The addresses and ports that are allocated for a service, and the errors before any other checks (PL-08).
func TestAllocate(t *testing.T) {
	const stored = `{"type":"NodePort","clusterIP":"10.0.0.7","clusterIPs":["10.0.0.7"],"ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"],"ports":[{"name":"a","protocol":"TCP","port":80,"nodePort":30080}]}`
	for _, test := range []struct{ reason, old, spec, want string }{
		{"protocols share a node port", "", `{"type":"NodePort","ports":[{"protocol":"TCP","port":53},{"protocol":"UDP","port":53},{"protocol":"TCP","port":80}]}`,
			`10.0.0.1 [IPv4] SingleStack [30001 30001 30002]`},
		{"including one that a later port requests", "", `{"type":"NodePort","ports":[{"protocol":"TCP","port":53},{"protocol":"UDP","port":53,"nodePort":30053}]}`,
			`10.0.0.1 [IPv4] SingleStack [30053 30053]`},
		{"an invalid node port", "", `{"type":"NodePort","ports":[{"port":53,"nodePort":53}]}`,
			`spec.ports[0].nodePort: Invalid value: 53: no such port`},
		{"the node port of other types is not checked", "", `{"type":"ClusterIP","ports":[{"port":53,"nodePort":53}]}`,
			`10.0.0.1 [IPv4] SingleStack [53]`},
		{"the policy is checked before the ports", "", `{"type":"NodePort","ipFamilyPolicy":"Both","ports":[{"port":53,"nodePort":53}]}`,
			`spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"`},
		{"two families in a cluster with one", "", `{"type":"ClusterIP","ipFamilyPolicy":"RequireDualStack"}`,
			`spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`},
		{"a family that is not configured", "", `{"type":"ClusterIP","ipFamilies":["IPv6"]}`,
			`spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`},
		{"an address of that family", "", `{"type":"ClusterIP","clusterIP":"fd00::1"}`,
			`spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster`},
		{"headless without selector gets both families", "", `{"type":"ClusterIP","clusterIP":"None"}`, `None [IPv4 IPv6] RequireDualStack []`},
		{"headless with selector gets one family", "", `{"type":"ClusterIP","clusterIP":"None","selector":{"a":"b"}}`, `None [IPv4] SingleStack []`},
		{"an update keeps what it omits, by the name of the port", stored, `{"type":"NodePort","ports":[{"name":"a","protocol":"TCP","port":81}]}`,
			`10.0.0.7 [IPv4] SingleStack [30080]`},
		{"another name gets another port", stored, `{"type":"NodePort","ports":[{"name":"b","protocol":"TCP","port":80}]}`, `10.0.0.7 [IPv4] SingleStack [30001]`},
		{"two ports with one protocol cannot share", stored, `{"type":"NodePort","ports":[{"protocol":"TCP","port":1,"nodePort":30080},{"protocol":"TCP","port":2,"nodePort":30080}]}`,
			`duplicate nodePort: {TCP 30080}`},
		{"a health check", "", `{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":7}`,
			`Internal error occurred: failed to allocate requested HealthCheck NodePort 7: no such port`},
	} {
		s, old := &corev1.Service{}, (*corev1.Service)(nil)
		if err := json.Unmarshal([]byte(test.spec), &s.Spec); err != nil {
			t.Fatal(err)
		}
		if test.old != "" {
			old = &corev1.Service{}
			if err := json.Unmarshal([]byte(test.old), &old.Spec); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		switch s, wrong, err := kinds.New(nil, objects.Options{}).Allocate(s, old, &counted{}, objects.Write{}); {
		case err != nil:
			got = err.Error()
		case len(wrong) > 0:
			got = wrong.ToAggregate().Error()
		default:
			ports := []int32{}
			for _, p := range s.Spec.Ports {
				ports = append(ports, p.NodePort)
			}
			got = fmt.Sprintf("%s %v %s %v", s.Spec.ClusterIP, s.Spec.IPFamilies, *s.Spec.IPFamilyPolicy, ports)
		}
		if got != test.want {
			t.Errorf("%s: %s\n got %s\nwant %s", test.reason, test.spec, got, test.want)
		}
	}
}
