package serve

import (
	"crypto/sha512"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/admsim/admsim/internal/catalog"
	"github.com/admsim/admsim/internal/openapi"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// documents caches what the server publishes about itself, for one set of resources.
type documents struct {
	schemas *openapi.Schemas // of the release
	mutex   sync.Mutex
	of      *discovery.Resources
	catalog *catalog.Catalog
	openAPI *openapi.Documents
	all     map[allAtOnce]taggedDocument // those that were asked for
}

// allAtOnce identifies a document of aggregated discovery.
type allAtOnce struct {
	version string
	core    bool
}

// A taggedDocument is a document that a client need not fetch again while its tag is the same.
type taggedDocument struct {
	list *apidiscoveryv2.APIGroupDiscoveryList
	json []byte
	tag  string
}

// known returns the catalog of resources and their OpenAPI documents. They are rebuilt only if the resources have
// changed.
func (d *documents) known(sim *simulator.Simulator) (*catalog.Catalog, *openapi.Documents) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.update(sim)
	return d.catalog, d.openAPI
}

func (d *documents) update(sim *simulator.Simulator) {
	if d.of != sim.Resources() {
		d.of = sim.Resources()
		d.catalog = catalog.New(sim.Release(), d.of)
		d.openAPI = openapi.New(d.schemas, d.catalog.GroupVersions(), d.catalog.Served)
		d.all = map[allAtOnce]taggedDocument{}
	}
}

// aggregated returns a document of aggregated discovery. Its tag is computed as in
// kubernetes/apiserver:pkg/endpoints/discovery/aggregated/etag.go.
func (d *documents) aggregated(sim *simulator.Simulator, which allAtOnce) (taggedDocument, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.update(sim)
	if made, ok := d.all[which]; ok {
		return made, nil
	}
	list := d.catalog.Aggregated(which.version, which.core)
	text, err := sim.View().Types().Encode(list)
	if err != nil {
		return taggedDocument{}, err
	}
	untyped, err := sim.View().Types().Encode(&apidiscoveryv2.APIGroupDiscoveryList{Items: list.Items})
	if err != nil {
		return taggedDocument{}, err
	}
	made := taggedDocument{list: list, json: append(text, '\n'), tag: fmt.Sprintf(`"%X"`, sha512.Sum512(untyped))}
	d.all[which] = made
	return made, nil
}

// document answers a request for a path that is not a resource.
func (x *exchange) document() {
	path := x.r.URL.Path
	if may, err := x.mayAsk(path); err != nil {
		x.notEvaluated(err)
		return
	} else if !may {
		x.forbidPath()
		return
	}
	parts := split(x.r.URL)
	switch {
	case len(parts) == 1 && parts[0] == "rewind":
		x.rewind()
		return
	case len(parts) > 0 && parts[0] == "forks" && x.options.Forks != nil:
		x.code = http.StatusOK
		x.options.Forks(x.w, x.r)
		return
	case len(parts) > 0 && parts[0] == "logs" && x.options.Logs != nil && slices.Contains([]string{http.MethodPost, http.MethodDelete}, x.r.Method):
		x.code = http.StatusOK
		x.options.Logs(x.w, x.r)
		return
	}
	if slices.Contains(x.metricPaths(), path) {
		x.code = http.StatusOK
		x.options.Metrics(x.w, x.r)
		return
	}
	if x.zpage(path) || x.debugFlags(path) {
		return
	}
	switch {
	case x.r.Method != http.MethodGet && x.onlyGets(path, parts):
		x.notAllowed()
	case len(parts) == 0 || path == "/index.html":
		x.root()
	case slices.Contains(catalog.Endpoints(x.sim.Release()), parts[0]):
		x.health(parts)
	case len(parts) == 1 && parts[0] == "version":
		if x.accepts(string(wire.JSON)) {
			x.rawJSON(http.StatusOK, versionOf(x.sim.Release()))
		}
	case len(parts) > 2 && parts[0] == "apis" && x.isElsewhere(schema.GroupVersion{Group: parts[1], Version: parts[2]}):
		x.unavailable()
	case parts[0] == "api" || parts[0] == "apis":
		x.discover(parts)
	case parts[0] == "openapi":
		x.openAPI(parts)
	case !x.logFiles(parts) && !x.page(parts):
		x.notFound(parts)
	}
}

// onlyGets reports whether the server maps nothing but GET to the path of a document. Other documents are returned for any
// method: kubernetes/apiserver:pkg/endpoints/discovery/version.go, legacy.go.
func (x *exchange) onlyGets(path string, parts []string) bool {
	if path == "/version" || path == "/version/" || len(parts) == 1 && parts[0] == "api" {
		return true
	}
	version, isVersion := versionIn(parts)
	if !isVersion || x.isElsewhere(version) || x.isCustom(version) {
		return false
	}
	known, _ := x.documents.known(x.sim)
	_, exists := known.Resources(version)
	return exists
}

// versionIn returns the version of a group whose resources a path lists.
func versionIn(parts []string) (version schema.GroupVersion, ok bool) {
	switch {
	case len(parts) == 2 && parts[0] == "api":
		return schema.GroupVersion{Version: parts[1]}, true
	case len(parts) == 3 && parts[0] == "apis":
		return schema.GroupVersion{Group: parts[1], Version: parts[2]}, true
	}
	return schema.GroupVersion{}, false
}

// json writes a value that is not an API object.
func (x *exchange) json(v any) {
	data, err := jsonOf(v)
	if err != nil {
		x.unknown(err)
		return
	}
	x.send(http.StatusOK, string(wire.JSON), data)
}

// versionOf returns the answer of a server of the release to /version.
func versionOf(r *kubeversion.Release) version.Info {
	major, minor, _ := strings.Cut(r.Version, ".")
	info := version.Info{
		Major: major, Minor: minor,
		GitVersion: "v" + r.Version + ".0", GitTreeState: "clean",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if r.Has(kubeversion.EmulationInVersion) {
		info.EmulationMajor, info.EmulationMinor = major, minor
		info.MinCompatibilityMajor, info.MinCompatibilityMinor = major, oneBefore(minor)
	}
	return info
}

// oneBefore returns the minor release before the given one.
func oneBefore(minor string) string {
	n, _ := strconv.Atoi(minor) // minor is of a release that admsim knows
	return strconv.Itoa(n - 1)
}

// health reports that everything is healthy, with a list of the checks on demand.
func (x *exchange) health(parts []string) {
	checks := catalog.Checks(x.sim.Release(), parts[0])
	name := strings.Join(parts[1:], "/")
	if x.endsInSlash() || name != "" && !slices.ContainsFunc(checks, func(c catalog.Check) bool { return c.Name == name }) {
		x.notFound(parts)
		return
	}
	if name != "" { // the checks one by one are not counted
		x.send(http.StatusOK, textAsUTF8, []byte("ok"))
		return
	}
	x.countAs(kubeversion.MetricHealth, Counted{Subresource: "/" + parts[0]})
	query := x.r.URL.Query()
	text := x.check(parts[0], checks, query["exclude"])
	if _, verbose := query["verbose"]; !verbose {
		text = "ok"
	}
	x.text(http.StatusOK, text)
}

// check records which health checks ran, and returns a list of them: kubernetes/apiserver:pkg/server/healthz/healthz.go.
func (x *exchange) check(endpoint string, checks []catalog.Check, excluded []string) string {
	x.checked = &Checked{Endpoint: endpoint}
	unknown := slices.Compact(slices.Sorted(slices.Values(excluded)))
	var b strings.Builder
	for _, check := range checks {
		switch i := slices.Index(unknown, check.Name); {
		case !check.Listed:
		case i >= 0:
			unknown = slices.Delete(unknown, i, i+1)
			fmt.Fprintf(&b, "[+]%s excluded: ok\n", check.Name)
		default:
			x.checked.Names = append(x.checked.Names, check.Name)
			fmt.Fprintf(&b, "[+]%s ok\n", check.Name)
		}
	}
	if len(unknown) > 0 {
		for i, name := range unknown {
			unknown[i] = strconv.Quote(name)
		}
		fmt.Fprintf(&b, "warn: some health checks cannot be excluded: no matches for %s\n", strings.Join(unknown, ","))
	}
	if !x.sim.Release().Has(kubeversion.EndpointsNamed) {
		endpoint = "healthz"
	}
	fmt.Fprintf(&b, "%s check passed\n", endpoint)
	return b.String()
}

// metricPaths returns the paths of the metrics, if there are any.
func (x *exchange) metricPaths() []string {
	switch {
	case x.options.Metrics == nil:
		return nil
	case x.sim.Release().Has(kubeversion.MetricSLIs):
		return []string{"/metrics", "/metrics/slis"}
	}
	return []string{"/metrics"}
}

// endsInSlash reports whether the path ends in a slash, as only those of discovery and of /version may.
func (x *exchange) endsInSlash() bool { return strings.HasSuffix(x.r.URL.Path, "/") }

// paths returns the paths that the server lists.
func (x *exchange) paths() []string {
	release := x.sim.Release()
	paths := []string{"/api", "/apis", "/apis/", "/openapi/v2", "/version"}
	paths = append(paths, healthPaths(release, func(catalog.Check) bool { return true })...)
	if release.Has(kubeversion.OpenAPIV3) {
		paths = append(paths, "/openapi/v3", "/openapi/v3/")
	}
	if !release.Has(kubeversion.LogFilesHidden) {
		paths = append(paths, "/logs")
	}
	paths = append(paths, x.metricPaths()...)
	for _, path := range []string{"/.well-known/openid-configuration", "/openid/v1/jwks"} {
		if _, _, ok := x.openID(path); ok {
			paths = append(paths, path)
		}
	}
	known, _ := x.documents.known(x.sim)
	for _, gv := range known.GroupVersions() {
		paths = append(paths, pathOf(gv))
		if gv.Group != "" {
			paths = append(paths, "/apis/"+gv.Group)
		}
	}
	for _, page := range x.zpages() {
		paths = append(paths, page.path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// customPaths returns the paths of the server of custom resources, which is the last one in kube-apiserver that is asked.
func (x *exchange) customPaths() []string {
	const definitions = "apiextensions.k8s.io"
	paths := []string{"/apis", "/apis/", "/apis/" + definitions, "/openapi/v2", "/version"}
	paths = append(paths, healthPaths(x.sim.Release(), func(c catalog.Check) bool { return c.Custom })...)
	paths = append(paths, x.metricPaths()...)
	known, _ := x.documents.known(x.sim)
	for _, gv := range known.GroupVersions() {
		if gv.Group == definitions {
			paths = append(paths, pathOf(gv))
		}
	}
	slices.Sort(paths)
	return paths
}

// healthPaths returns the paths at which a server says whether it is healthy, and those of some of its checks.
func healthPaths(release *kubeversion.Release, with func(catalog.Check) bool) (paths []string) {
	for _, endpoint := range catalog.Endpoints(release) {
		paths = append(paths, "/"+endpoint)
		for _, check := range catalog.Checks(release, endpoint) {
			if with(check) {
				paths = append(paths, "/"+endpoint+"/"+check.Name)
			}
		}
	}
	return paths
}

// pathOf returns the path of the resources of a group version.
func pathOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// discover returns the groups, versions and resources that exist.
func (x *exchange) discover(parts []string) {
	known, _ := x.documents.known(x.sim)
	core := parts[0] == "api"
	offer := wire.Offer{Formats: x.discoveryFormats(parts)}
	var document apiruntime.Object
	ok := true
	switch {
	case len(parts) == 1:
		all := offer
		all.Discovery = x.discoveryVersions()
		if m, _ := x.accept(all); m.As == wire.Discovery {
			x.discoverAll(m, allAtOnce{m.Version, core})
			return
		}
		x.w.Header().Set("Vary", "Accept")
		if document = known.Groups(); core {
			document = known.Core(x.address())
		}
	case core && len(parts) == 2:
		document, ok = known.Resources(schema.GroupVersion{Version: parts[1]})
	case !core && len(parts) == 2:
		document, ok = known.Group(parts[1])
	case !core && len(parts) == 3:
		document, ok = known.Resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	default:
		ok = false
	}
	if !ok {
		x.notFound(parts)
		return
	}
	m, acceptable := x.accept(offer)
	if !acceptable {
		x.status(notAcceptable(mediaTypes(offer.Formats)))
		return
	}
	x.object(http.StatusOK, m, document)
}

// discoveryFormats returns the formats of a document of discovery. The server of custom resources has no CBOR for those
// of its versions, and up to 1.36 only documents about a version have it.
func (x *exchange) discoveryFormats(parts []string) []wire.Format {
	version, isVersion := versionIn(parts)
	if isVersion && !x.isCustom(version) || !isVersion && x.sim.Release().Has(kubeversion.DiscoveryInCBOR) {
		return x.formats(true)
	}
	return wire.Formats(true, false)
}

// isCustom reports whether the resources of a version are custom resources.
func (x *exchange) isCustom(gv schema.GroupVersion) bool {
	return slices.ContainsFunc(x.sim.Resources().All(), func(r discovery.Resource) bool {
		return r.CRD != nil && r.GroupVersionResource.GroupVersion() == gv
	})
}

// discoveryVersions returns the versions in which the release lists all resources at once.
func (x *exchange) discoveryVersions() (versions []string) {
	if x.sim.Release().Has(kubeversion.AggregatedDiscovery) {
		versions = append(versions, "v2")
	}
	if x.sim.Release().Has(kubeversion.AggregatedDiscoveryBeta) {
		versions = append(versions, "v2beta1")
	}
	return versions
}

// discoverAll returns all groups and resources in one document.
func (x *exchange) discoverAll(m wire.Media, which allAtOnce) {
	document, err := x.documents.aggregated(x.sim, which)
	if err != nil {
		x.unknown(err)
		return
	}
	path := "apis"
	if which.core {
		path = "api"
	}
	x.countAs(kubeversion.MetricDocuments, Counted{Subresource: path, Component: ComponentName})
	header := x.w.Header()
	header.Set("ETag", document.tag)
	header.Set("Vary", "Accept")
	header.Set("Cache-Control", "public")
	if x.r.Header.Get("If-None-Match") == document.tag {
		x.code = http.StatusNotModified
		x.report()
		x.w.WriteHeader(x.code)
		return
	}
	body := document.json
	if m.Format != wire.JSON || m.Pretty {
		if body, err = m.Encode(x.sim.View().Types(), document.list); err != nil {
			x.unknown(err)
			return
		}
	}
	x.send(http.StatusOK, typeAs(m), body)
}

func (x *exchange) address() string {
	if x.options.Address != "" {
		return x.options.Address
	}
	return x.r.Host
}
