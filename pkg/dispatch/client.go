package dispatch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// ClientOptions say how webhooks are reached. The zero value reaches webhooks with a URL, directly and without
// credentials.
type ClientOptions struct {
	// Services maps services, as namespace/name:port, to addresses, as host:port. State has the Services,
	// EndpointSlices and Endpoints of a cluster, for all other services; a service that is not in it does not
	// exist. If State is nil, calls to other services cannot be answered.
	Services map[string]string
	State    *cluster.State

	// Address is where all connections go, as host:port, instead of where the webhooks are. The request and the
	// expected certificate stay the same. Empty: where the webhook is.
	Address string

	// CABundle is used to check certificates, instead of those in the configurations of webhooks. Insecure
	// disables the check.
	CABundle []byte
	Insecure bool

	// Credentials are those of each of the two plugins. If a phase has none, its calls are anonymous.
	Credentials map[trace.Phase]*Credentials

	// Proxy returns the proxy for a request. Nil: none. See [ProxyFromEnvironment].
	Proxy func(*http.Request) (*url.URL, error)

	// Plain calls webhooks over HTTP, which an API server never does.
	Plain bool

	// NoTimeouts waits for answers as long as they take, such as those of a webhook in a debugger. They then take no time.
	NoTimeouts bool

	// MaxAnswer is how many bytes of an answer are kept. What a longer one means is not known. 0: 32 MiB.
	MaxAnswer int64

	// Now is the clock that measures answers. Nil: answers take no time, so the same input has the same output. An
	// answer that is too late is too late all the same.
	Now func() time.Time
}

// ProxyFromEnvironment returns the proxy that kube-apiserver would use if it had the environment of this
// process (W-150).
func ProxyFromEnvironment() func(*http.Request) (*url.URL, error) {
	return utilnet.NewProxierWithNoProxyCIDR(http.ProxyFromEnvironment)
}

// A Client is the backend of webhooks that are really called over HTTPS, in the way of kube-apiserver: with its
// client library. Many calls may use it at once.
type Client struct {
	options  ClientOptions
	services services
	open     *connrotation.ConnectionTracker
	ended    context.Context //nolint:containedctx // of the client itself
	end      context.CancelFunc
	poster

	mu      sync.RWMutex
	clients map[clientKey]made
}

// A clientKey is what calls have in common that can share connections.
type clientKey struct {
	service bool
	host    string // with scheme and port
	bundle  string
	phase   trace.Phase
	own     *Credentials
	names   bool // whether common names of certificates count
}

// keyOf is the key of the client for a call.
func keyOf(call Call, bundle []byte) clientKey {
	return clientKey{call.Client.Service != nil, hostOf(call.URL), string(bundle), call.Phase, call.credentials, call.takesCommonNames()}
}

// A made client, or why there is none.
type made struct {
	client *http.Client
	err    error
}

// Network is the permission to open connections. Because of it, no file can make admsim create a client. The
// zero value permits nothing.
type Network = consent.Network

// AllowNetwork returns the permission for Go programs, which decide themselves who is called.
func AllowNetwork() Network { return consent.OfProgram() }

// NewClient returns a Client. Close it when it is no longer needed. NewClient panics if it gets no permission:
// ask for it before.
func NewClient(allowed Network, o ClientOptions) *Client {
	if !allowed.Granted() {
		panic("dispatch: NewClient needs permission")
	}
	ended, end := context.WithCancel(context.Background())
	c := &Client{
		ended:    ended,
		end:      end,
		options:  o,
		services: services{given: o.Services, state: o.State},
		open:     connrotation.NewConnectionTracker(),
		poster:   newPoster(o.MaxAnswer, o.Now),
		clients:  map[clientKey]made{},
	}
	c.endless = o.NoTimeouts
	return c
}

// Close closes all connections, including those in use. There must be no calls after it.
func (c *Client) Close() {
	c.end()
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, m := range c.clients {
		if m.client != nil {
			utilnet.CloseIdleConnectionsFor(m.client.Transport)
		}
	}
	c.open.CloseAll()
}

// Call calls the webhook.
func (c *Client) Call(ctx context.Context, call Call) Reply {
	if c.options.Plain {
		call.URL = "http" + strings.TrimPrefix(call.URL, "https")
	}
	client, err := c.client(call)
	if err != nil {
		return Reply{Err: naming(err, call)}
	}
	reply := c.post(ctx, client, call)
	reply.Err = naming(reply.Err, call)
	return reply
}

// naming adds the name of the webhook to a [NoAnswerError].
func naming(err error, c Call) error {
	if err == nil {
		return nil
	}
	if unknown := (*NoAnswerError)(nil); errors.As(err, &unknown) {
		return &NoAnswerError{c.Configuration, c.Webhook, unknown.Reason, unknown.Err}
	}
	return err
}

// client returns the client for a call, the one that was made before if there is one.
func (c *Client) client(call Call) (*http.Client, error) {
	bundle := call.Client.CABundle
	if c.options.CABundle != nil {
		bundle = c.options.CABundle
	}

	c.mu.RLock()
	m, ok := c.clients[keyOf(call, bundle)]
	c.mu.RUnlock()
	if !ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		key := keyOf(call, bundle)
		if m, ok = c.clients[key]; !ok {
			m.client, m.err = c.newClient(call, bundle)
			c.clients[key] = m
		}
	}
	return m.client, m.err
}

// hostOf is the part of a URL before its path.
func hostOf(called string) string {
	slashes := 0
	for i := range len(called) {
		if called[i] == '/' {
			if slashes++; slashes == 3 {
				return called[:i]
			}
		}
	}
	return called
}

// newClient makes the client that kube-apiserver would make
// (kubernetes/apiserver:pkg/util/webhook/client.go).
func (c *Client) newClient(call Call, bundle []byte) (*http.Client, error) {
	config, err := c.config(call)
	if err != nil {
		return nil, err
	}
	switch {
	case c.options.Insecure:
		config.Insecure, config.CAData = true, nil
	case bundle != nil && !c.options.Plain:
		config.Insecure, config.CAData = false, bundle
	}
	if config.Proxy == nil {
		config.Proxy = c.options.Proxy
	}
	if config.Proxy == nil {
		config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, &NoClientError{err}
	}
	if call.takesCommonNames() {
		if err := takeCommonNames(transport); err != nil {
			return nil, &NoClientError{err}
		}
	}
	return &http.Client{Transport: transport}, nil
}

// config is how to connect for a call, and as whom.
func (c *Client) config(call Call) (*rest.Config, error) {
	u, err := url.Parse(call.URL)
	if err != nil {
		return nil, err
	}
	if own := call.credentials; own != nil {
		config, err := own.config()
		if unknown := (*NoAnswerError)(nil); errors.As(err, &unknown) {
			return nil, err
		}
		if err != nil { // the server would not have started
			return nil, &NoAnswerError{Reason: "its kubeconfig cannot be used: " + err.Error(), Err: err}
		}
		config.Dial = connrotation.NewDialerWithTracker(c.dial(u.Host, nil), c.open).DialContext
		return config, nil
	}
	config := &rest.Config{}
	hostPort := u.Host
	if service := call.Client.Service; service != nil {
		// One connection for all calls would lead to one endpoint for all: W-149.
		config.NextProtos = []string{"http/1.1"}
		config.ServerName = service.Name + "." + service.Namespace + ".svc" // W-143
	} else {
		if u.Port() == "" {
			hostPort = net.JoinHostPort(u.Host, "443")
		}
		if !isLoopback(u) {
			config.NextProtos = []string{"http/1.1"}
		}
	}
	config.Dial = connrotation.NewDialerWithTracker(c.dial(u.Host, call.Client.Service), c.open).DialContext
	return config, c.options.Credentials[call.Phase].apply(hostPort, config)
}

// dial returns how to connect to what the URLs of a client call hostPort: a service has its
// address in the cluster, all else the one of its name. Other names, such as that of a proxy,
// are what they are (W-150).
func (c *Client) dial(hostPort string, service *admissionregistrationv1.ServiceReference) connrotation.DialFunc {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case c.options.Address != "":
			address = c.options.Address
		case service != nil && address == hostPort:
			var err error
			if address, err = c.services.address(service); err != nil {
				return nil, err
			}
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ended, cancel)()
		conn, err := dialer.DialContext(ctx, network, address)
		if err == nil && c.ended.Err() != nil {
			_ = conn.Close()
			return nil, c.ended.Err()
		}
		return conn, err
	}
}
