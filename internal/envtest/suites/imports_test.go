package suites

// The imports of the suites, so that go.sum has all their checksums. The modules of Kubernetes are those of admsim,
// which are compiled already.
import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/api/errors"
	_ "k8s.io/apiserver/pkg/authentication/user"
	_ "k8s.io/client-go/rest"
	_ "sigs.k8s.io/controller-runtime/pkg/builder"
	_ "sigs.k8s.io/controller-runtime/pkg/client"
	_ "sigs.k8s.io/controller-runtime/pkg/cluster"
	_ "sigs.k8s.io/controller-runtime/pkg/handler"
	_ "sigs.k8s.io/controller-runtime/pkg/webhook"
)
