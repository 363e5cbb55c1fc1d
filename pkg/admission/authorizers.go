package admission

import "time"

// Authorizers are what some of the authorizers that a server asks before admission need, as flags of kube-apiserver
// name it: what is in files, with their names, which are for errors and for paths in them.
type Authorizers struct {
	// Policy are the policies of mode ABAC, a line each: --authorization-policy-file.
	Policy     []byte
	PolicyFile string

	// Webhook is the kubeconfig of mode Webhook, whose current context says where the webhook is:
	// --authorization-webhook-config-file. It is called as authorization/default.
	Webhook     []byte
	WebhookFile string

	// WebhookVersion is that of the SubjectAccessReviews, v1 or v1beta1. Empty: v1beta1.
	WebhookVersion string

	// AuthorizedTTL is how long the webhook's answer that allows is remembered, UnauthorizedTTL any other. 0: five
	// minutes, and 30 seconds; less: not at all.
	AuthorizedTTL, UnauthorizedTTL time.Duration

	// Config is an AuthorizationConfiguration as JSON, in the place of modes and of what is said of the webhook:
	// --authorization-config. Each of its webhooks is called as authorization/NAME. Beside the name of a kubeconfig,
	// in connectionInfo.kubeConfigFile, is what is in it, as kubeConfig.
	Config []byte

	// Located returns an error about Config with the places that it is about. Nil: errors have no places.
	Located func(error) error
}
