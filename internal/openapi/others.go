package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// names returns the names of the documents in the newer format. The aggregator described its own group only later.
func (d *Documents) names() []string {
	return slices.DeleteFunc(d.services(), func(name string) bool {
		const own = "apis/apiregistration.k8s.io"
		return (name == own || strings.HasPrefix(name, own+"/")) && !d.release.Has(kubeversion.APIServicesDescribed)
	})
}

// services returns the paths of the web services of the server without their first slash, each of which has a document: a
// group version, a group, the list of groups, and services beside the API.
func (d *Documents) services() (all []string) {
	for _, gv := range d.order {
		all = append(all, strings.TrimPrefix(prefix(gv), "/"))
	}
	all = slices.AppendSeq(all, maps.Keys(d.beside()))
	slices.Sort(all)
	return all
}

// besideVersions returns what describes each web service that is not a group version. Services beside the API:
// kubernetes/apiserver:pkg/server/routes/version.go, kubernetes/kubernetes:pkg/routes.
func (d *Documents) besideVersions() map[string]func(*describer) {
	all := map[string]func(*describer){"version": (*describer).version}
	for _, gv := range d.order {
		if !hasDiscovery(d.served[gv]) {
			continue
		}
		name, describe := "api", (*describer).coreVersions
		if gv.Group != "" {
			all["apis"] = (*describer).groupList
			name, describe = "apis/"+gv.Group, (*describer).group
		}
		all[name] = func(p *describer) {
			p.gv = gv
			describe(p)
		}
	}
	if !d.release.Has(kubeversion.LogFilesHidden) {
		all["logs"] = (*describer).logs
	}
	if d.release.Has(kubeversion.OpenIDPages) {
		all[".well-known/openid-configuration"] = (*describer).issuer
		all["openid/v1/jwks"] = (*describer).keys
	}
	return all
}

// coreVersions adds the path of the list of versions of the core group.
func (p *describer) coreVersions() {
	title, _ := p.titles()
	p.discovery("/api/", "get available API versions", "get"+title+"APIVersions", groupTag(title), "APIVersions")
}

// groupList adds the path of the list of groups.
func (p *describer) groupList() {
	p.discovery("/apis/", "get available API versions", "getAPIVersions", "apis", "APIGroupList")
}

// group adds the path of a group.
func (p *describer) group() {
	title, _ := p.titles()
	p.discovery("/apis/"+p.gv.Group+"/", "get information of a group", "get"+title+"APIGroup", groupTag(title), "APIGroup")
}

func (p *describer) version() {
	description := "get the version information for this server"
	if !p.release.Has(kubeversion.VersionOfServer) {
		description = "get the code version"
	}
	p.document("/version/", description, "getCodeVersion", "version", []string{"application/json"}, ref("io.k8s.apimachinery.pkg.version.Info"))
}

func (p *describer) issuer() {
	p.document("/.well-known/openid-configuration/", "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
		"getServiceAccountIssuerOpenIDConfiguration", "WellKnown", []string{"application/json"}, node{"type": "string"})
}

func (p *describer) keys() {
	p.document("/openid/v1/jwks/", "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
		"getServiceAccountIssuerOpenIDKeyset", "openid", []string{"application/jwk-set+json"}, node{"type": "string"})
}

func (p *describer) logs() {
	get := func(operation string) node {
		return node{"operationId": operation, "tags": []any{"logs"}, "responses": node{"401": node{"description": "Unauthorized"}}}
	}
	p.paths["/logs/"] = node{"get": get("logFileListHandler")}
	p.paths["/logs/{logpath}"] = node{"get": get("logFileHandler"), "parameters": []any{named("logpath", "path to the log")}}
}
