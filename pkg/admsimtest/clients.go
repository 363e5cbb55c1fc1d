package admsimtest

import (
	"k8s.io/client-go/rest"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/serving"
)

// RESTConfig returns a configuration for clients of the cluster: for client-go or controller-runtime, or for a whole
// manager with caches and reconcilers. Clients need no port: their requests go straight to the API server of the
// cluster, which answers them as it answers [Cluster.Create] and the other methods. Clients act as [Options].User,
// unless they impersonate another user.
//
// The handler of a webhook may use such a client during a call. It sees the cluster as it was before the request. The
// client has to be created before that request.
//
// From the first call on, the controllers in [Options].Controllers run until the test ends.
func (c *Cluster) RESTConfig() *rest.Config {
	c.t.Helper()
	return &rest.Config{Host: "https://admsim.invalid", Transport: c.serving().Transport(c.inner.User), QPS: -1}
}

// Kubeconfig returns the path of a kubeconfig, for programs that need one. It opens a port on this machine until the
// test ends.
func (c *Cluster) Kubeconfig() string {
	c.t.Helper()
	entrance, err := c.serving().Open(serving.At{})
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	c.t.Cleanup(func() { _ = entrance.Close() })
	return entrance.Kubeconfig
}

// serving returns the cluster that clients reach.
func (c *Cluster) serving() *serving.Cluster {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.served != nil {
		return c.served
	}
	which := c.options.Controllers
	if which != nil && len(which) == 0 {
		which = serving.NoControllers()
	}
	served, err := serving.Start(c.sim, serving.Options{Controllers: which, Warn: c.handlers.warn})
	if err != nil {
		c.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	c.t.Cleanup(served.Close)
	c.served = served
	return served
}
