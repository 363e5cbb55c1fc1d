package serve

import (
	"embed"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// flagTables has the flags of each release that shows them, with their defaults: make flagz.
//
//go:embed flagz/*.txt
var flagTables embed.FS

// flags returns the values of all flags of the server, as the server writes them: those that were given, and those that
// the server sets itself (kubernetes/kubernetes:pkg/controlplane/apiserver/options/options.go, Complete).
func (x *exchange) flags() map[string]string {
	values := flagsOf(x.sim.Release(), x.options.Flags)
	values["allow-privileged"] = "true" // no other server is simulated
	values["anonymous-auth"] = strconv.FormatBool(!x.options.NoAnonymous)
	if at, ok := x.r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		values["secure-port"] = strconv.Itoa(at.Port)
	}
	if values["authorization-mode"] == "[]" && values["authorization-config"] == "" {
		values["authorization-mode"] = "[AlwaysAllow]"
	}
	if strings.Contains(values["authorization-mode"], "AlwaysAllow") {
		values["anonymous-auth"] = "false"
	}
	if values["external-hostname"] == "" {
		values["external-hostname"] = values["advertise-address"]
	}
	if folder := values["cert-dir"]; folder != "" && values["tls-cert-file"] == "" && values["tls-private-key-file"] == "" {
		values["tls-cert-file"] = path.Join(folder, "apiserver.crt")
		values["tls-private-key-file"] = path.Join(folder, "apiserver.key")
	}
	return values
}

// flagsOf returns the values of flags. given has those that were given, once for each time.
func flagsOf(release *kubeversion.Release, given map[string][]string) map[string]string {
	table, err := flagTables.ReadFile("flagz/" + release.Version + ".txt")
	if err != nil {
		panic(err) // a test reads the tables of all releases
	}
	values := map[string]string{}
	for line := range strings.Lines(string(table)) {
		if name, usual, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			values[name] = usual
			if texts := given[name]; len(texts) > 0 {
				values[name] = flagValue(name, usual, texts)
			}
		}
	}
	return values
}

// flagValue writes what a flag was given in the form of its default: kubernetes/component-base:cli/flag.
func flagValue(name, usual string, texts []string) string {
	switch name {
	case "feature-gates":
		return gatesByComponent(texts)
	case "runtime-config":
		return setByName(texts, "=", apiName)
	case "watch-cache-sizes": // those that are not given have their default
		return "[" + setByName(append([]string{strings.Trim(usual, "[]")}, texts...), "#", func(name string) string { return name }) + "]"
	}
	last := texts[len(texts)-1]
	if strings.HasPrefix(usual, "[") {
		return "[" + strings.Join(texts, ",") + "]"
	}
	if usual == "true" || usual == "false" {
		if on, err := strconv.ParseBool(last); err == nil {
			return strconv.FormatBool(on)
		}
	}
	if _, err := strconv.Atoi(usual); err == nil {
		if n, err := strconv.ParseInt(last, 0, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
		if n, err := strconv.ParseFloat(last, 64); err == nil {
			return strconv.FormatFloat(n, 'g', -1, 64)
		}
	}
	if _, err := time.ParseDuration(usual); err == nil {
		if d, err := time.ParseDuration(last); err == nil {
			return d.String()
		}
	}
	return last
}

// gatesByComponent lists feature gates, those without the name of a component first, and otherwise in the order in which
// they were given: kubernetes/component-base:cli/flag/colon_separated_multimap_string_string.go.
func gatesByComponent(texts []string) string {
	type gate struct{ component, value string }
	var all []gate
	for _, word := range words(texts) {
		component, value, ok := strings.Cut(word, ":")
		if !ok {
			component, value = "", word
		}
		all = append(all, gate{strings.TrimSpace(component), strings.TrimSpace(value)})
	}
	slices.SortStableFunc(all, func(a, b gate) int { return strings.Compare(a.component, b.component) })
	var b strings.Builder
	for i, g := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(g.component + ":" + g.value)
	}
	return b.String()
}

// setByName lists what was set by name, each once, with its last value: kubernetes/component-base:cli/flag/configuration_map.go.
func setByName(texts []string, separator string, name func(string) string) string {
	last := map[string]string{}
	for _, word := range words(texts) {
		key, value, _ := strings.Cut(word, separator)
		last[name(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	var all []string
	for key, value := range last {
		all = append(all, key+separator+value)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// apiName returns the name that the server gives an API in --runtime-config: that of the core group is completed.
func apiName(name string) string {
	group, _, _ := strings.Cut(strings.TrimPrefix(name, "api/"), "/")
	if group == "v1" {
		return "/v1"
	}
	return name
}

// words splits texts at commas.
func words(texts []string) (all []string) {
	for _, text := range texts {
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" {
				all = append(all, word)
			}
		}
	}
	return all
}
