package authorization

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var configurationCodecs = sync.OnceValue(func() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict)
})

// A configuration is an AuthorizationConfiguration together with the kubeconfigs that it names.
type configuration struct {
	apiserver.AuthorizationConfiguration
	kubeconfigs map[string][]byte // by their paths
	needs       admission.Authorizers
	compiler    authorizationcel.Compiler
}

// configured returns the authorizers of an AuthorizationConfiguration (AU-60): kubernetes/kubernetes:
// pkg/kubeapiserver/authorizer/config.go and reload.go.
func configured(modes []string, needs admission.Authorizers, r *kubeversion.Release, compiler func() authorizationcel.Compiler) (Chain, error) {
	if !r.Has(kubeversion.AuthorizationConfigurations) {
		return nil, errors.New("--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag")
	}
	if len(modes) > 0 || needs.Webhook != nil || needs.WebhookVersion != "" || needs.AuthorizedTTL != 0 || needs.UnauthorizedTTL != 0 {
		return nil, errors.New("--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined")
	}
	c := configuration{needs: needs, compiler: compiler()}
	chain, err := c.read(r)
	if err != nil && needs.Located != nil {
		err = needs.Located(err)
	}
	return chain, err
}

func (c *configuration) read(r *kubeversion.Release) (Chain, error) {
	if err := c.decode(r); err != nil {
		return nil, fmt.Errorf("failed to load AuthorizationConfiguration from file: %w", err)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	var chain Chain
	for i, a := range c.Authorizers {
		one := link{Mode: Mode(a.Type), name: a.Name}
		var err error
		switch one.Mode {
		case ABAC:
			if c.needs.Policy == nil {
				return nil, field.Required(field.NewPath("authorizers").Index(i).Child("type"), "ABAC has its policies in the file of --authorization-policy-file, which is not given")
			}
			one.policies, err = parsePolicies(c.needs.Policy, c.needs.PolicyFile)
		case Webhook:
			one.webhook, err = c.webhook(i)
		}
		if err != nil {
			return nil, err
		}
		chain = append(chain, one)
	}
	return chain, nil
}

// decode reads the configuration, without the kubeconfigs in it, as strictly as the server does.
func (c *configuration) decode(r *kubeversion.Release) error {
	text, err := c.withoutKubeconfigs(c.needs.Config)
	if err != nil {
		return err
	}
	object, gvk, err := configurationCodecs().UniversalDecoder().Decode(text, nil, nil)
	if err == nil && !knowsConfiguration(r, gvk.GroupVersion()) {
		err = runtime.NewNotRegisteredErrForKind("pkg/apis/apiserver/load/load.go", *gvk)
	}
	if err != nil {
		return err
	}
	decoded, ok := object.(*apiserver.AuthorizationConfiguration)
	if !ok {
		return fmt.Errorf("expected AuthorizationConfiguration, got %T", object)
	}
	c.AuthorizationConfiguration = *decoded
	return nil
}

// withoutKubeconfigs removes the kubeconfigs from a configuration. Text that is not a configuration is left to the
// decoder.
func (c *configuration) withoutKubeconfigs(text []byte) ([]byte, error) {
	c.kubeconfigs = map[string][]byte{}
	var whole map[string]any
	if json.Unmarshal(text, &whole) != nil {
		return text, nil
	}
	all, _ := whole["authorizers"].([]any)
	for _, one := range all {
		info := below(below(one, "webhook"), "connectionInfo")
		name, _ := info["kubeConfigFile"].(string)
		if kubeconfig := info["kubeConfig"]; kubeconfig != nil {
			data, err := json.Marshal(kubeconfig)
			if err != nil {
				return nil, err
			}
			c.kubeconfigs[name] = data
			delete(info, "kubeConfig")
		}
	}
	return json.Marshal(whole)
}

func below(value any, key string) map[string]any {
	object, _ := value.(map[string]any)
	under, _ := object[key].(map[string]any)
	return under
}

// knowsConfiguration reports whether a release has a version of the configuration.
func knowsConfiguration(r *kubeversion.Release, version schema.GroupVersion) bool {
	switch version.Version {
	case "v1":
		return r.Has(kubeversion.AuthorizationConfigurationV1)
	case "v1beta1":
		return r.Has(kubeversion.AuthorizationConfigurationV1beta1)
	}
	return true
}

// validate returns the errors in the configuration, except those about files on the server's own disk (AU-61).
func (c *configuration) validate() error {
	var errs []error
	for _, e := range validation.ValidateAuthorizationConfiguration(c.compiler, nil, &c.AuthorizationConfiguration, sets.New(Modes()...), sets.New(string(Webhook))) {
		if !c.isThere(e) {
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 {
		return utilerrors.NewAggregate(errs)
	}
	for i, a := range c.Authorizers {
		if want := strings.ToLower(string(a.Type)); a.Type != apiserver.TypeWebhook && a.Name != want {
			name := field.NewPath("authorizers").Index(i).Child("name")
			errs = append(errs, field.Invalid(name, a.Name, fmt.Sprintf("expected name %s for authorizer %s instead of %s", want, a.Type, a.Name)))
		}
	}
	return utilerrors.NewAggregate(errs)
}

// isThere reports whether an error says that the server cannot find a kubeconfig which is in fact known.
func (c *configuration) isThere(e *field.Error) bool {
	name, _ := e.BadValue.(string)
	return c.kubeconfigs[name] != nil && strings.HasSuffix(e.Field, ".kubeConfigFile")
}

// webhook returns the webhook of an authorizer.
func (c *configuration) webhook(i int) (*webhook, error) {
	of, at := c.Authorizers[i].Webhook, field.NewPath("authorizers").Index(i).Child("webhook")
	w := &webhook{version: of.SubjectAccessReviewVersion, timeout: of.Timeout.Duration, onError: authorizer.DecisionNoOpinion}
	if of.FailurePolicy == apiserver.FailurePolicyDeny {
		w.onError = authorizer.DecisionDeny
	}
	if of.CacheAuthorizedRequests {
		w.authorizedTTL = of.AuthorizedTTL.Duration
	}
	if of.CacheUnauthorizedRequests {
		w.unauthorizedTTL = of.UnauthorizedTTL.Duration
	}
	for _, m := range of.MatchConditions {
		one, err := newCondition(m.Expression, c.compiler)
		if err != nil {
			return nil, err
		}
		w.conditions = append(w.conditions, one)
	}
	if of.ConnectionInfo.KubeConfigFile == nil {
		return nil, field.NotSupported(at.Child("connectionInfo", "type"), of.ConnectionInfo.Type, []string{apiserver.AuthorizationWebhookConnectionInfoTypeKubeConfigFile})
	}
	file := *of.ConnectionInfo.KubeConfigFile
	if c.kubeconfigs[file] == nil {
		return nil, field.NotFound(at.Child("connectionInfo", "kubeConfigFile"), file)
	}
	return w, w.at(c.kubeconfigs[file], file)
}
