package admission

import "time"

// Authorizers holds the configuration of authorizers that need more than their name. The fields correspond to flags of
// kube-apiserver, but have the contents of the files. The names of the files are used in errors, and to resolve paths
// in them.
type Authorizers struct {
	// Policy holds the policies of mode ABAC, one per line: --authorization-policy-file.
	Policy     []byte
	PolicyFile string

	// Webhook is the kubeconfig of mode Webhook, whose current context says where the webhook is:
	// --authorization-webhook-config-file. The webhook is called as authorization/default.
	Webhook     []byte
	WebhookFile string

	// WebhookVersion is the version of the SubjectAccessReviews, v1 or v1beta1. Empty: v1beta1.
	WebhookVersion string

	// AuthorizedTTL is how long answers of the webhook that allow a request are cached, UnauthorizedTTL how long all
	// others are. 0: five minutes and 30 seconds; negative: not at all.
	AuthorizedTTL, UnauthorizedTTL time.Duration

	// Config is an AuthorizationConfiguration as JSON. It replaces the modes and the settings of the webhook:
	// --authorization-config. Each of its webhooks is called as authorization/NAME. Next to the name of a kubeconfig,
	// in connectionInfo.kubeConfigFile, is its content, as kubeConfig.
	Config []byte

	// Located returns an error about Config with the positions that it is about. Nil: errors have no positions.
	Located func(error) error
}
