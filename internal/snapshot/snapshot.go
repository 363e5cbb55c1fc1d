// Package snapshot copies what admission depends on from a cluster: to a folder, which admsim can load as its world, or
// into memory.
//
// Start with [Connect], then [Cluster.Read], which returns the objects one by one, and a [Folder], which writes them;
// or [Cluster.Manifests]. What is read is listed in resources.go and is as little as admission needs: configurations,
// policies, namespaces, definitions, quotas, classes, roles, accounts, and the services of webhooks; rules returns the
// role that allows exactly that. Secrets are never read.
//
// The package changes nothing in the cluster and does not know what the folder is used for.
package snapshot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// An Object is an object decoded from JSON.
type Object = map[string]any

// A Cluster is an API server that objects are read from.
type Cluster struct {
	client *http.Client
	server *url.URL

	// Name is the name of the context, and Namespace its namespace. Both may be empty.
	Name, Namespace string

	// PageSize is how many objects are requested at once. 0: 500.
	PageSize int
	// Warn is called with what could not be read. May be nil.
	Warn func(text string)
}

// ErrNoCluster says that no kubeconfig was found that names a cluster.
var ErrNoCluster = errors.New("no kubeconfig names a cluster")

// Connect returns the cluster of a kubeconfig: the given file or, if the path is empty, kubectl's usual files; and the
// named context, or the current one.
func Connect(kubeconfig, contextName string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: contextName}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, ErrNoCluster
	}
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", withoutAlias(err))
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	c := &Cluster{client: client, server: server, Name: contextName}
	if raw, err := loader.RawConfig(); err == nil {
		c.Name = cmp.Or(contextName, raw.CurrentContext)
		if named := raw.Contexts[c.Name]; named != nil {
			c.Namespace = named.Namespace
		}
	}
	return c, nil
}

// unknownAlias matches the YAML library's error about a value that begins with *, such as a password without quotes.
var unknownAlias = regexp.MustCompile(`unknown anchor '.*' referenced`)

// withoutAlias returns err without the value that it may quote.
func withoutAlias(err error) error {
	if unknownAlias.MatchString(err.Error()) {
		return errors.New(unknownAlias.ReplaceAllString(err.Error(), "a value that begins with * needs quotes"))
	}
	return err
}

// Read calls emit for every object that admission depends on. It warns of objects that the user may not read, and of
// resources that the cluster should serve but does not.
func (c *Cluster) Read(ctx context.Context, emit func(resource string, o Object) error) error {
	var found references
	for _, r := range resources {
		err := c.list(ctx, r, "", func(o Object) error {
			found.note(o)
			return emit(r.String(), o)
		})
		if err := c.tolerate(r.String(), err); err != nil {
			return err
		}
	}
	if err := c.readServices(ctx, found.services, emit); err != nil {
		return err
	}
	return c.readParams(ctx, found.params, emit)
}

// Version returns the minor release that the cluster runs, such as 1.34.
func (c *Cluster) Version(ctx context.Context) (string, error) {
	about, err := c.get(ctx, "/version", nil)
	if err != nil {
		return "", fmt.Errorf("reading the version: %w", err)
	}
	major, minor := text(about["major"]), text(about["minor"])
	return major + "." + strings.TrimRight(minor, "+"), nil // some providers add a plus sign
}

// readServices reads the services of webhooks, and their endpoints.
func (c *Cluster) readServices(ctx context.Context, of []service, emit func(string, Object) error) error {
	for _, s := range of {
		object, err := c.get(ctx, fmt.Sprintf("/api/v1/namespaces/%s/services/%s", url.PathEscape(s.namespace), url.PathEscape(s.name)), nil)
		if err == nil {
			if err := emit("services", object); err != nil {
				return err
			}
		} else if isStatus(err, http.StatusNotFound) {
			c.warn(fmt.Sprintf("%s is behind service %s/%s, which does not exist", s.of, s.namespace, s.name))
			continue
		} else if err := c.tolerate("services", err); err != nil {
			return err
		}
		slices := resource{group: "discovery.k8s.io", versions: []string{"v1"}, name: "endpointslices"}
		slices.within = s.namespace
		err = c.list(ctx, slices, "kubernetes.io/service-name="+s.name, func(o Object) error { return emit(slices.String(), o) })
		if err := c.tolerate(slices.String(), err); err != nil {
			return err
		}
	}
	return nil
}

// readParams reads the objects that policies take as params, except Secrets.
func (c *Cluster) readParams(ctx context.Context, of []kind, emit func(string, Object) error) error {
	for _, k := range of {
		if k.Kind == "Secret" {
			c.warn("a policy takes Secrets as params, which are not read")
			continue
		}
		r, err := c.resourceOf(ctx, k)
		if err == nil && r.isRead() {
			continue
		}
		if err == nil {
			err = c.list(ctx, r, "", func(o Object) error { return emit(r.String(), o) })
		}
		if err := c.tolerate("params of kind "+k.Kind, err); err != nil {
			return err
		}
	}
	return nil
}

// resourceOf asks the cluster for the resource of a kind.
func (c *Cluster) resourceOf(ctx context.Context, k kind) (resource, error) {
	group, version, found := strings.Cut(k.APIVersion, "/")
	if !found {
		group, version = "", k.APIVersion
	}
	r := resource{group: group, versions: []string{version}}
	served, err := c.get(ctx, r.path(version, ""), nil)
	if err != nil {
		return r, err
	}
	list, _ := served["resources"].([]any)
	for _, item := range list {
		one, _ := item.(map[string]any)
		name, _ := one["name"].(string)
		if one["kind"] == k.Kind && !strings.Contains(name, "/") {
			r.name = name
			return r, nil
		}
	}
	return r, &statusError{http.StatusNotFound, fmt.Sprintf("%s has no kind %s", k.APIVersion, k.Kind)}
}

// list calls emit for the objects of a resource, page by page, in the first version that is served.
func (c *Cluster) list(ctx context.Context, r resource, labels string, emit func(Object) error) error {
	var err error
	for _, version := range r.versions {
		err = c.pages(ctx, r, version, labels, emit)
		if !isStatus(err, http.StatusNotFound) {
			return err
		}
	}
	return err
}

func (c *Cluster) pages(ctx context.Context, r resource, version, labels string, emit func(Object) error) error {
	size := c.PageSize
	if size == 0 {
		size = 500
	}
	seen := map[string]bool{} // on earlier pages, before the list had to start again
	query := url.Values{"limit": {fmt.Sprint(size)}}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	for again := 0; ; {
		page, err := c.get(ctx, r.path(version, r.name), query)
		if isStatus(err, http.StatusGone) && again < 3 { // the token has expired: start again
			again++
			query.Del("continue")
			continue
		}
		if err != nil {
			return err
		}
		if err := c.items(page, r, version, seen, emit); err != nil {
			return err
		}
		meta, _ := page["metadata"].(map[string]any)
		token, _ := meta["continue"].(string)
		if token == "" {
			return nil
		}
		query.Set("continue", token)
	}
}

func (c *Cluster) items(page Object, r resource, version string, seen map[string]bool, emit func(Object) error) error {
	listKind, _ := page["kind"].(string)
	items, _ := page["items"].([]any)
	for _, item := range items {
		o, ok := item.(map[string]any)
		if !ok {
			continue
		}
		namespace, name := nameOf(o)
		if seen[namespace+"/"+name] {
			continue
		}
		seen[namespace+"/"+name] = true
		if o["kind"] == nil { // items of typed lists have no kind
			o["kind"], o["apiVersion"] = strings.TrimSuffix(listKind, "List"), r.apiVersion(version)
		}
		if err := emit(o); err != nil {
			return err
		}
	}
	return nil
}

// get reads one document. If the answer is not 200, the error is a *statusError.
func (c *Cluster) get(ctx context.Context, path string, query url.Values) (Object, error) {
	u := *c.server
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	answer, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var v Object
	d := json.NewDecoder(answer.Body)
	d.UseNumber()
	err = d.Decode(&v)
	if answer.StatusCode != http.StatusOK {
		message, _ := v["message"].(string)
		if message == "" {
			message = answer.Status
		}
		return nil, &statusError{answer.StatusCode, message}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	_, err = io.Copy(io.Discard, answer.Body) // so that the connection is reused
	return v, err
}

type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return e.message }

func isStatus(err error, code int) bool {
	status := (*statusError)(nil)
	return errors.As(err, &status) && status.code == code
}

// tolerate turns an error about what the user may not read into a warning. It ignores what the cluster does not serve,
// as most clusters do not serve all versions.
func (c *Cluster) tolerate(what string, err error) error {
	switch {
	case err == nil, isStatus(err, http.StatusNotFound):
		return nil
	case isStatus(err, http.StatusForbidden), isStatus(err, http.StatusMethodNotAllowed):
		c.warn(fmt.Sprintf("%s are not in the snapshot: %v", what, err))
		return nil
	}
	return fmt.Errorf("reading %s: %w", what, err)
}

func (c *Cluster) warn(text string) {
	if c.Warn != nil {
		c.Warn(text)
	}
}
