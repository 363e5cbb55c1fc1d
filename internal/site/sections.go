package main

import (
	"path"
	"strings"
)

// A section is a section of the navigation.
type section struct {
	Title string
	Pages []*page
}

// sections lists all pages in reading order. The text after a space is the title in the navigation; without one, the
// title of the page is short enough.
var sections = []struct {
	title string
	pages []string
}{
	{"Start", []string{
		"README.md What admsim is",
	}},
	{"Tutorials", []string{
		"docs/tutorials/ci.md Test in CI",
		"docs/tutorials/replay.md Replay an audit log",
		"docs/tutorials/whatif.md What a change does",
		"docs/tutorials/serve.md An API server",
	}},
	{"Coming from", []string{
		"docs/coming-from/README.md Overview",
		"docs/coming-from/gator.md gator",
		"docs/coming-from/kyverno.md kyverno",
		"docs/coming-from/conftest.md conftest",
		"docs/coming-from/kubectl-validate.md kubectl-validate",
		"docs/coming-from/kaptest.md kaptest",
		"docs/coming-from/vaptest.md kube-vap-test",
		"docs/coming-from/envtest.md envtest",
		"docs/coming-from/chainsaw.md chainsaw",
	}},
	{"Jobs", []string{
		"docs/ci.md In CI",
		"docs/suite.md Suites",
		"docs/whatif.md What if",
		"docs/space.md Every request",
		"docs/replay.md Replay",
		"deploy/replay/README.md Replay in a cluster",
		"docs/serve.md Serve",
		"docs/envtest.md Tests with envtest",
		"docs/kubectl.md With kubectl",
		"docs/policies.md Policies of other engines",
		"docs/editors.md Editors",
	}},
	{"Reference", []string{
		"docs/reference/commands.md Commands",
		"docs/scenario.md Worlds and requests",
		"docs/reference/formats.md Keys of files",
		"docs/output.md Output",
		"docs/recording.md Recordings",
		"docs/lint.md Lint rules",
		"docs/reference/plugins.md Plugins",
		"docs/fidelity.md Fidelity",
		"docs/compatibility.md Compatibility",
		"docs/security.md Security",
		"docs/performance.md Performance",
	}},
	{"What servers do", []string{
		"docs/rules/README.md The rules",
		"docs/rules/webhooks.md Webhooks",
		"docs/rules/policies.md Policies",
		"docs/rules/objects.md Requests and objects",
		"docs/rules/authorization.md Authorization",
		"docs/rules/plugins.md Built-in plugins",
		"docs/rules/limitranger.md LimitRanger",
		"docs/rules/noderestriction.md NodeRestriction",
		"docs/rules/podsecurity.md PodSecurity",
		"docs/rules/resourcequota.md ResourceQuota",
		"docs/rules/serviceaccount.md ServiceAccount",
		"docs/rules/removed-plugins.md Removed plugins",
	}},
	{"Development", []string{
		"CONTRIBUTING.md Contributing",
		"docs/design.md Design",
		"docs/release.md A new Kubernetes release",
		"SECURITY.md Reporting vulnerabilities",
	}},
}

// address returns the path of a repository page in the site. The pages in docs/ are at the top.
func address(source string) string {
	name := strings.TrimPrefix(source, "docs/")
	switch {
	case name == "SECURITY.md": // docs/security.md is another page
		return "vulnerabilities.html"
	case path.Base(name) == "README.md":
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html"
}
