package dispatch

import (
	"cmp"
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
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// ClientOptions say how webhooks are reached. With the zero value, webhooks with a URL are called directly and without
// credentials.
type ClientOptions struct {
	// Services maps services, as namespace/name:port, to addresses, as host:port. All other services are looked up in
	// State, which has the Services, EndpointSlices and Endpoints of a cluster; a service that is not in State does not
	// exist. If State is nil, calls to other services cannot be answered.
	Services map[string]string
	State    *cluster.State

	// EndpointRouting calls services of State at a ready endpoint and not at their cluster IP, as a server with
	// --enable-aggregator-routing does.
	EndpointRouting bool

	// Address is the destination of all connections, as host:port, instead of the addresses of the webhooks. The
	// request and the expected certificate stay the same. Empty: each webhook's own address.
	Address string

	// CABundle is used to verify certificates, instead of the bundles in the webhook configurations. Insecure disables
	// verification.
	CABundle []byte
	Insecure bool

	// Credentials are those of the two plugins, by phase. If a phase has none, its calls are anonymous.
	Credentials map[trace.Phase]*Credentials

	// Proxy returns the proxy for a request. Nil: none. See [ProxyFromEnvironment].
	Proxy func(*http.Request) (*url.URL, error)

	// Plain calls webhooks over HTTP, which an API server never does.
	Plain bool

	// NoTimeouts waits for answers as long as they take, for example while a webhook is being debugged. They take no
	// time then.
	NoTimeouts bool

	// MaxAnswer is how many bytes of an answer are kept. The meaning of a longer answer is not known. 0: 32 MiB.
	MaxAnswer int64

	// Now is the clock that measures answers. Nil: answers take no time, so that the same input has the same output.
	// Answers that are too late still time out.
	Now func() time.Time
}

// ProxyFromEnvironment returns the proxy that kube-apiserver would use in the environment of this process (W-150).
func ProxyFromEnvironment() func(*http.Request) (*url.URL, error) {
	return utilnet.NewProxierWithNoProxyCIDR(http.ProxyFromEnvironment)
}

// A Client is the backend for webhooks that are really called over HTTPS. It calls them as kube-apiserver does, with
// the same client library. It may be used concurrently.
type Client struct {
	options  ClientOptions
	services services
	open     *connrotation.ConnectionTracker
	ended    context.Context //nolint:containedctx // of the client itself
	end      context.CancelFunc
	poster

	mu      sync.RWMutex
	clients map[clientKey]cachedClient
}

// A clientKey identifies calls that can share connections.
type clientKey struct {
	service bool
	host    string // with scheme and port
	bundle  string
	phase   trace.Phase
	own     *Credentials
	names   bool   // whether common names of certificates are accepted
	http2   bool   // whether HTTP/2 is offered
	virtual string // the address that the service is called by; empty: its name
}

// keyOf returns the key of the client for a call.
func (c *Client) keyOf(call Call, bundle []byte) clientKey {
	return clientKey{call.Client.Service != nil, hostOf(call.URL), string(bundle), call.Phase, call.credentials, call.takesCommonNames(), call.offersHTTP2(), c.virtual(call)}
}

// virtual returns the address that the server's client puts into the URL of a service, as host:port, or "" if it leaves
// the name there.
func (c *Client) virtual(call Call) string {
	service := call.Client.Service
	if service == nil || call.credentials != nil || call.release != nil && !call.release.Has(kubeversion.WebhookRoutes) {
		return ""
	}
	return c.services.virtual(service)
}

// A cachedClient is a client, or the error from creating it.
type cachedClient struct {
	client *http.Client
	err    error
}

// Network is the permission to open connections. It ensures that no file can make admsim create a client. The zero
// value permits nothing.
type Network = consent.Network

// AllowNetwork returns the permission for Go programs, which decide for themselves what to call.
func AllowNetwork() Network { return consent.OfProgram() }

// NewClient returns a Client. Close it when it is no longer needed. NewClient panics without permission, so check for
// it first.
func NewClient(allowed Network, o ClientOptions) *Client {
	if !allowed.Granted() {
		panic("dispatch: NewClient needs permission")
	}
	ended, end := context.WithCancel(context.Background())
	c := &Client{
		ended:    ended,
		end:      end,
		options:  o,
		services: services{given: o.Services, state: o.State, routes: o.EndpointRouting},
		open:     connrotation.NewConnectionTracker(),
		poster:   newPoster(o.MaxAnswer, o.Now),
		clients:  map[clientKey]cachedClient{},
	}
	c.endless = o.NoTimeouts
	return c
}

// Close closes all connections, including those in use. No calls may follow.
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
		return Reply{Err: withName(err, call)}
	}
	reply := c.post(ctx, client, call)
	reply.Err = withName(reply.Err, call)
	return reply
}

// withName adds the name of the webhook to a [NoAnswerError]. What wraps it may have a hint.
func withName(err error, c Call) error {
	if err == nil {
		return nil
	}
	if unknown := (*NoAnswerError)(nil); errors.As(err, &unknown) {
		return &NoAnswerError{c.Configuration, c.Webhook, unknown.Reason, err}
	}
	return err
}

// client returns the client for a call, and creates it if necessary.
func (c *Client) client(call Call) (*http.Client, error) {
	bundle := call.Client.CABundle
	if c.options.CABundle != nil {
		bundle = c.options.CABundle
	}

	c.mu.RLock()
	m, ok := c.clients[c.keyOf(call, bundle)]
	c.mu.RUnlock()
	if !ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		key := c.keyOf(call, bundle)
		if m, ok = c.clients[key]; !ok {
			m.client, m.err = c.newClient(call, bundle)
			c.clients[key] = m
		}
	}
	return m.client, m.err
}

// hostOf returns the part of a URL before its path.
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

// newClient creates the client that kube-apiserver would create (kubernetes/apiserver:pkg/util/webhook/client.go).
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
	if address := c.virtual(call); address != "" {
		called, err := url.Parse(call.URL)
		if err != nil {
			return nil, err
		}
		transport = &routed{transport, called.Host, address}
	}
	return &http.Client{Transport: transport}, nil
}

// routed calls a service by its address (W-144): kubernetes/apiserver:pkg/util/webhook/client.go, resolvingRoundTripper.
type routed struct {
	http.RoundTripper
	host, address string
}

// RoundTrip implements [http.RoundTripper]. Redirects may lead to other hosts.
func (r *routed) RoundTrip(sent *http.Request) (*http.Response, error) {
	if sent.URL.Host != r.host {
		return r.RoundTripper.RoundTrip(sent)
	}
	sent = sent.Clone(sent.Context())
	sent.Host = cmp.Or(sent.Host, sent.URL.Host)
	sent.URL.Host = r.address
	return r.RoundTripper.RoundTrip(sent)
}

// WrappedRoundTripper returns the client that has the connections.
func (r *routed) WrappedRoundTripper() http.RoundTripper { return r.RoundTripper }

// config returns how to connect for a call, and with which identity.
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
		config.Dial = connrotation.NewDialerWithTracker(c.dial(u.Host, "", nil), c.open).DialContext
		return config, nil
	}
	config := &rest.Config{}
	hostPort := u.Host
	if service := call.Client.Service; service != nil {
		config.ServerName = service.Name + "." + service.Namespace + ".svc" // W-143
	} else {
		if u.Port() == "" {
			hostPort = net.JoinHostPort(u.Host, "443")
		}
	}
	if !call.offersHTTP2() {
		config.NextProtos = []string{"http/1.1"}
	}
	config.Dial = connrotation.NewDialerWithTracker(c.dial(u.Host, c.virtual(call), call.Client.Service), c.open).DialContext
	return config, c.options.Credentials[call.Phase].apply(hostPort, config)
}

// dial returns a function that connects to hostPort, as the URLs of a client call it. For a service, which they may also
// call by its virtual address, this is its address in the cluster, and otherwise the address of that name. Other names, such as that of a proxy, are left as they are
// (W-150).
func (c *Client) dial(hostPort, virtual string, service *admissionregistrationv1.ServiceReference) connrotation.DialFunc {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case c.options.Address != "":
			address = c.options.Address
		case service != nil && (address == hostPort || address == virtual):
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
