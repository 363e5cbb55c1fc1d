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

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Credentials say as which user the server calls the webhooks of one of its two plugins (W-153), or the service of a
// [Callback] and where that is. Nil: as none.
type Credentials struct{ kubeconfig clientcmdapi.Config }

// ParseKubeconfig reads the kubeconfig that the configuration of a plugin names. file is its path; relative paths in it
// start there. Of that for admission webhooks, which are where they say, the clusters are not used.
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

// ParseWebhookAdmission reads the configuration of one of the two plugins: a WebhookAdmissionConfiguration as
// JSON, in which the field kubeConfig holds the kubeconfig that kubeConfigFile names. If it names none, there
// are no credentials.
func ParseWebhookAdmission(configuration []byte) (*Credentials, error) {
	var c struct {
		Kind           string          `json:"kind"`
		KubeConfigFile string          `json:"kubeConfigFile"`
		KubeConfig     json.RawMessage `json:"kubeConfig"`
	}
	if len(configuration) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(configuration, &c); err != nil {
		return nil, err
	}
	switch {
	case c.Kind != "WebhookAdmissionConfiguration" && c.Kind != "WebhookAdmission":
		return nil, fmt.Errorf("kind is %q, want WebhookAdmissionConfiguration", c.Kind)
	case c.KubeConfig != nil:
		return ParseKubeconfig(c.KubeConfig, c.KubeConfigFile)
	case c.KubeConfigFile != "":
		return nil, fmt.Errorf("kubeConfigFile: %s is not there", c.KubeConfigFile)
	}
	return nil, nil
}

// Server returns the URL that the current context leads to.
func (c *Credentials) Server() (string, error) {
	cluster, _ := c.current()
	if cluster == nil {
		return "", fmt.Errorf("the kubeconfig's current context %q leads to no cluster", c.kubeconfig.CurrentContext)
	}
	return cluster.Server, nil
}

// current are the cluster and the user of the current context; nil if there is none.
func (c *Credentials) current() (cluster *clientcmdapi.Cluster, user string) {
	context := c.kubeconfig.Contexts[c.kubeconfig.CurrentContext]
	if context == nil {
		return nil, ""
	}
	return c.kubeconfig.Clusters[context.Cluster], context.AuthInfo
}

// config is how to connect to the server of the current context, and as whom, in the way of
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

// user returns who calls host:port: the entry of that name, else the one for the closest
// parent domain, both once more without the port if that is 443, else the one for all, else
// that of the current context (W-153: kubernetes/apiserver:pkg/util/webhook/authentication.go).
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

// closest are the names that stand for a host, the closest first.
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

// apply gives config what the calls to hostPort identify themselves with.
func (c *Credentials) apply(hostPort string, config *rest.Config) error {
	name, user := c.user(hostPort)
	return identify(config, name, user)
}

// identify gives config what a user of a kubeconfig is known by.
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

	// Files are read once. Left to the library, certificates would be looked at again by
	// somebody who never ends.
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
