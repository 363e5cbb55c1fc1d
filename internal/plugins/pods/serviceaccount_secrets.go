package pods

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// enforceSecretsAnnotation on an account limits its pods to the secrets that it lists. It is deprecated, but still
// works.
const enforceSecretsAnnotation = "kubernetes.io/enforce-mountable-secrets"

// enforcesSecrets reports whether the account limits its pods (SA-25).
func enforcesSecrets(account *corev1.ServiceAccount) bool {
	says, ok := account.Annotations[enforceSecretsAnnotation]
	if !ok {
		return false
	}
	enforced, err := strconv.ParseBool(says)
	return err == nil && enforced
}

// limitSecrets refuses a pod that uses secrets which its account does not list, if the account enforces that (SA-26).
func (p ServiceAccount) limitSecrets(req admission.Request, pod *corev1.Pod, account *corev1.ServiceAccount, step trace.Step) trace.Step {
	if !enforcesSecrets(account) {
		return plugin.Allow(step, "account "+account.Name+" does not limit which secrets are used")
	}
	if text := p.unlistedSecret(pod, account); text != "" {
		return plugin.Forbid(step, req, text)
	}
	return plugin.Allow(step, "the pod uses no other secrets than account "+account.Name+" lists")
}

// limitDebuggers does the same as limitSecrets for the ephemeral containers of a pod. The server forgets to turn its
// refusal into a status (SA-30).
func (p ServiceAccount) limitDebuggers(pod *corev1.Pod, account *corev1.ServiceAccount, step trace.Step) trace.Step {
	if !enforcesSecrets(account) {
		return plugin.Allow(step, "account "+account.Name+" does not limit which secrets are used")
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if text := p.unlistedInContainer("ephemeral container", corev1.Container(c.EphemeralContainerCommon), account); text != "" {
			return plugin.Deny(step, text, admission.StatusOf(errors.New(text)))
		}
	}
	return plugin.Allow(step, "the containers use no other secrets than account "+account.Name+" lists")
}

// unlistedSecret describes the first secret that the pod uses and the account does not list, "" for none.
func (p ServiceAccount) unlistedSecret(pod *corev1.Pod, account *corev1.ServiceAccount) string {
	for _, v := range pod.Spec.Volumes {
		if v.Secret != nil && !listsSecret(account, v.Secret.SecretName) {
			return notListed(`volume with secret.secretName="`+v.Secret.SecretName+`"`, account)
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if text := p.unlistedInContainer("init container", c, account); text != "" {
			return text
		}
	}
	for _, c := range pod.Spec.Containers {
		if text := p.unlistedInContainer("container", c, account); text != "" {
			return text
		}
	}
	for i, ref := range pod.Spec.ImagePullSecrets {
		if !slices.Contains(account.ImagePullSecrets, ref) {
			return fmt.Sprintf(`imagePullSecrets[%d].name="%s" is not allowed because service account %s does not reference that imagePullSecret`, i, ref.Name, account.Name)
		}
	}
	return ""
}

func (p ServiceAccount) unlistedInContainer(kind string, c corev1.Container, account *corev1.ServiceAccount) string {
	for _, env := range c.Env {
		if env.ValueFrom == nil || env.ValueFrom.SecretKeyRef == nil {
			continue
		}
		if name := env.ValueFrom.SecretKeyRef.Name; !listsSecret(account, name) {
			return notListed(fmt.Sprintf(`%s %s with envVar %s referencing secret.secretName="%s"`, kind, c.Name, env.Name, name), account)
		}
	}
	for _, from := range c.EnvFrom {
		if p.sources && from.SecretRef != nil && !listsSecret(account, from.SecretRef.Name) {
			return notListed(fmt.Sprintf(`%s %s with envFrom referencing secret.secretName="%s"`, kind, c.Name, from.SecretRef.Name), account)
		}
	}
	return ""
}

func listsSecret(account *corev1.ServiceAccount, name string) bool {
	return slices.ContainsFunc(account.Secrets, func(r corev1.ObjectReference) bool { return r.Name == name })
}

func notListed(what string, account *corev1.ServiceAccount) string {
	return fmt.Sprintf("%s is not allowed because service account %s does not reference that secret", what, account.Name)
}
