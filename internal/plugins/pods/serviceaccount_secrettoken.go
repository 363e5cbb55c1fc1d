package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// tokenOf returns where the pods of an account get their token from. Up to 1.20 that is a secret of the account. A pod
// that is created before the controller has created the secret has to be retried: denial is the step that says so
// (SA-50).
func (p ServiceAccount) tokenOf(s *cluster.State, req admission.Request, account *corev1.ServiceAccount, step trace.Step) (source tokenSource, denial *trace.Step) {
	if p.bound {
		return p.boundToken(), nil
	}
	for _, listed := range account.Secrets {
		secret, ok := cluster.Get[*corev1.Secret](s, schema.GroupKind{Kind: "Secret"}, account.Namespace, listed.Name)
		if ok && isTokenOf(secret, account) {
			return p.secretToken(secret.Name), nil
		}
	}
	err := apierrors.NewServerTimeout(schema.GroupResource{Resource: "serviceaccounts"}, "create pod", 1)
	err.ErrStatus.Message = fmt.Sprintf("No API token found for service account %q, retry after the token is automatically created and added to the service account", account.Name)
	step.Hint = fmt.Sprintf("list under secrets of ServiceAccount %q a Secret of type %s whose annotation names the account, or use --assume-controllers",
		account.Name, corev1.SecretTypeServiceAccountToken)
	step = plugin.Deny(step, "account "+account.Name+" has no token", admission.StatusOf(err))
	return tokenSource{}, &step
}

// isTokenOf reports whether a secret contains the token of an account. The uid only matters if the secret names one
// (kubernetes/kubernetes:pkg/serviceaccount/util.go).
func isTokenOf(secret *corev1.Secret, account *corev1.ServiceAccount) bool {
	uid := secret.Annotations[corev1.ServiceAccountUIDKey]
	return secret.Type == corev1.SecretTypeServiceAccountToken &&
		secret.Annotations[corev1.ServiceAccountNameKey] == account.Name &&
		(uid == "" || uid == string(account.UID))
}

// secretToken returns the source for the token in a secret. The volume is named after the secret. It gets the default
// mode only when the pod is stored.
func (p ServiceAccount) secretToken(secret string) tokenSource {
	volume := secret
	if p.dotless {
		volume = strings.ReplaceAll(volume, ".", "-")
	}
	return tokenSource{
		provides: func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == secret },
		name:     volume,
		made: func(name string) corev1.Volume {
			return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}}
		},
	}
}
