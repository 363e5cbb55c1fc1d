package objects_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// richPod has a bit of everything that pods can have.
const richPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"shop","labels":{"app":"web","tier":"front"},"annotations":{"example.com/owner":"shop"}},
"spec":{"serviceAccountName":"web","nodeSelector":{"disk":"ssd"},"securityContext":{"runAsNonRoot":true,"runAsUser":1000,"fsGroup":1000,"seccompProfile":{"type":"RuntimeDefault"}},
"tolerations":[{"key":"dedicated","operator":"Equal","value":"web","effect":"NoSchedule"}],
"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}}}}]}},
"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"web"}}}],
"volumes":[{"name":"tmp","emptyDir":{}},{"name":"config","configMap":{"name":"web","items":[{"key":"a","path":"a"}]}},{"name":"tls","secret":{"secretName":"web-tls"}},{"name":"data","persistentVolumeClaim":{"claimName":"web"}}],
"initContainers":[{"name":"migrate","image":"registry.example.com/migrate:1","command":["migrate","--all"],"env":[{"name":"DSN","valueFrom":{"secretKeyRef":{"name":"db","key":"dsn"}}}]}],
"containers":[{"name":"web","image":"registry.example.com/web:1.2.3","ports":[{"name":"http","containerPort":8080},{"name":"metrics","containerPort":9090}],
"env":[{"name":"POD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"LEVEL","value":"info"}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"1","memory":"256Mi"}},
"volumeMounts":[{"name":"tmp","mountPath":"/tmp"},{"name":"config","mountPath":"/etc/web"},{"name":"tls","mountPath":"/etc/tls","readOnly":true},{"name":"data","mountPath":"/data"}],
"livenessProbe":{"httpGet":{"path":"/healthz","port":"http"},"periodSeconds":10},"readinessProbe":{"httpGet":{"path":"/ready","port":8080}},
"lifecycle":{"preStop":{"exec":{"command":["sleep","5"]}}},"securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}}},
{"name":"proxy","image":"registry.example.com/proxy:4","args":["--upstream=127.0.0.1:8080"],"ports":[{"containerPort":8443}],"resources":{"requests":{"cpu":"50m","memory":"64Mi"}}}]}}`

// BenchmarkPodPreparation measures what it takes to read, default and validate a pod. The last two together must take
// less time than the first.
func BenchmarkPodPreparation(b *testing.B) {
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	types := kinds.New(nil, objects.Options{})
	k, err := types.Kind(gvk)
	if err != nil {
		b.Fatal(err)
	}
	read, _, err := k.Decode([]byte(richPod), nil, gvk, objects.Strict)
	if err != nil {
		b.Fatal(err)
	}
	write := objects.Write{Kind: gvk, Namespace: "shop", Name: "web-0"}
	ready := types.PrepareForCreate(types.Default(read), write)
	if errs := types.Validate(ready, write); len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}

	b.Run("step=decode", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := k.Decode([]byte(richPod), nil, gvk, objects.Ignore); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("step=default", func(b *testing.B) {
		for b.Loop() {
			types.Default(read)
		}
	})
	b.Run("step=validate", func(b *testing.B) {
		for b.Loop() {
			types.Validate(ready, write)
		}
	})
}
