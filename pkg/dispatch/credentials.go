package dispatch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	kjson "sigs.k8s.io/json"
)

// Credentials say as which user the server calls the webhooks of one of its two plugins (W-153), or the service of a
// [Callback], and where that service is. Nil: calls are anonymous.
type Credentials struct{ kubeconfig clientcmdapi.Config }

// ParseKubeconfig decodes the kubeconfig that the configuration of a plugin names. file is its path; relative paths in
// it are relative to that. The clusters in the kubeconfig for admission webhooks are not used, because the webhooks
// themselves say where they are.
func ParseKubeconfig(data []byte, file string) (*Credentials, error) {
	config, err := clientcmd.Load(data)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
	}
	for _, user := range config.AuthInfos {
		user.LocationOfOrigin = file
	}
	for _, cluster := range config.Clusters {
		cluster.LocationOfOrigin = file
	}
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
	}
	return &Credentials{*config}, nil
}

// ParseWebhookAdmission decodes the configuration of one of the two plugins: a WebhookAdmissionConfiguration as JSON,
// in which the field kubeConfig holds the kubeconfig that kubeConfigFile names. If it names none, there are no
// credentials. The plugin checks the rest of its configuration.
func ParseWebhookAdmission(configuration []byte) (*Credentials, error) {
	var c struct {
		KubeConfigFile string          `json:"kubeConfigFile"`
		KubeConfig     json.RawMessage `json:"kubeConfig"`
	}
	if len(configuration) == 0 {
		return nil, nil
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(configuration, &c); err != nil {
		return nil, err
	}
	switch {
	case c.KubeConfig != nil:
		return ParseKubeconfig(c.KubeConfig, c.KubeConfigFile)
	case c.KubeConfigFile != "":
		return nil, field.NotFound(field.NewPath("kubeConfigFile"), c.KubeConfigFile)
	}
	return nil, nil
}

// Server returns the URL that the current context points to.
func (c *Credentials) Server() (string, error) {
	cluster, _ := c.current()
	if cluster == nil {
		return "", fmt.Errorf("the kubeconfig's current context %q leads to no cluster", c.kubeconfig.CurrentContext)
	}
	return cluster.Server, nil
}

// current returns the cluster and the user of the current context, or nil if there is none.
func (c *Credentials) current() (cluster *clientcmdapi.Cluster, user string) {
	context := c.kubeconfig.Contexts[c.kubeconfig.CurrentContext]
	if context == nil {
		return nil, ""
	}
	return c.kubeconfig.Clusters[context.Cluster], context.AuthInfo
}

// config returns how to connect to the server of the current context, and with which identity, following
// kubernetes/apiserver:pkg/util/webhook/webhook.go, LoadKubeconfig.
func (c *Credentials) config() (*rest.Config, error) {
	cluster, user := c.current()
	config := &rest.Config{}
	config.ServerName, config.Insecure = cluster.TLSServerName, cluster.InsecureSkipTLSVerify
	var err error
	if config.CAData, err = readUnlessGiven(cluster.CertificateAuthorityData, cluster.CertificateAuthority); err != nil {
		return nil, err
	}
	if cluster.ProxyURL != "" {
		proxy, err := url.Parse(cluster.ProxyURL)
		if err != nil {
			return nil, err
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	return config, identify(config, user, c.kubeconfig.AuthInfos[user])
}

// user returns the user for calls to host:port: the entry with that name, or else that of the closest parent domain,
// then the same without the port if it is 443, then the entry for all hosts, and finally the user of the current
// context (W-153: kubernetes/apiserver:pkg/util/webhook/authentication.go).
func (c *Credentials) user(hostPort string) (name string, user *clientcmdapi.AuthInfo) {
	if c == nil {
		return "", nil
	}
	names := closest(hostPort)
	if host, port, err := net.SplitHostPort(hostPort); err == nil && port == "443" {
		names = append(names, closest(host)...)
	}
	names = append(names, "*")
	if current, ok := c.kubeconfig.Contexts[c.kubeconfig.CurrentContext]; ok && c.kubeconfig.CurrentContext != "" {
		names = append(names, current.AuthInfo)
	}
	for _, name := range names {
		if user, ok := c.kubeconfig.AuthInfos[name]; ok && name != "" {
			return name, user
		}
	}
	return "", nil
}

// closest returns the names that match a host, the closest first.
func closest(host string) []string {
	names := []string{host}
	for {
		_, parent, found := strings.Cut(host, ".")
		if !found {
			return names
		}
		names = append(names, "*."+parent)
		host = parent
	}
}

// apply sets the identity for calls to hostPort in config.
func (c *Credentials) apply(hostPort string, config *rest.Config) error {
	name, user := c.user(hostPort)
	return identify(config, name, user)
}

// identify sets the identity of a user of a kubeconfig in config.
func identify(config *rest.Config, name string, user *clientcmdapi.AuthInfo) error {
	switch {
	case user == nil:
		return nil
	case user.AuthProvider != nil:
		return &NoClientError{errors.New("auth provider not supported")}
	case user.Exec != nil:
		return &NoAnswerError{Reason: fmt.Sprintf("user %q of the kubeconfig gets its credentials from the program %s, which admsim does not run: "+
			"give it a token or a client certificate", name, user.Exec.Command)}
	}
	config.BearerToken, config.BearerTokenFile = user.Token, user.TokenFile
	if user.Impersonate != "" {
		config.Impersonate = rest.ImpersonationConfig{
			UserName: user.Impersonate,
			UID:      user.ImpersonateUID,
			Groups:   user.ImpersonateGroups,
			Extra:    user.ImpersonateUserExtra,
		}
	}
	config.Username, config.Password = user.Username, user.Password

	// Files are read once. If it were left to the library, a goroutine that never ends would reread certificates.
	var err error
	if config.BearerToken == "" {
		var token []byte
		token, err = readUnlessGiven(nil, user.TokenFile)
		config.BearerToken = string(token)
	}
	if user.ClientCertificate != "" || len(user.ClientCertificateData) > 0 {
		var certErr, keyErr error
		config.CertData, certErr = readUnlessGiven(user.ClientCertificateData, user.ClientCertificate)
		config.KeyData, keyErr = readUnlessGiven(user.ClientKeyData, user.ClientKey)
		err = cmp.Or(err, certErr, keyErr)
	}
	if err != nil {
		return &NoClientError{err}
	}
	return nil
}

func readUnlessGiven(data []byte, file string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	return os.ReadFile(file)
}
