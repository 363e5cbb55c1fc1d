package kubeversion

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
)

// A Plugin is the place of an admission plugin in the chain: whether it is on by default, and when it is called.
type Plugin struct {
	Name       string
	Default    bool
	Mutates    bool // takes part in the mutating phase, even if it only checks there
	Validates  bool
	Operations []admissionv1.Operation

	since int // the release that introduced it; 0: all known releases have it
}

// plugins parses the rows of a release, NAME PHASES OPERATIONS on|off, with the letters of W-003: M and V for the
// phases; C, U, D and X for create, update, delete and connect. The release that introduced the plugin may follow, as
// since=1.37; earlier releases do not have it.
func plugins(rows string) []Plugin {
	var ps []Plugin
	for line := range strings.Lines(rows) {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		since := 0
		if version, ok := strings.CutPrefix(w[len(w)-1], "since="); ok {
			w, since = w[:len(w)-1], minorOf(version)
		}
		if len(w) != 4 {
			panic(fmt.Sprintf("kubeversion: a plugin needs phases, operations and on or off: %q", line))
		}
		ps = append(ps, Plugin{
			Name:       w[0],
			Default:    w[3] == "on",
			Mutates:    strings.Contains(w[1], "M"),
			Validates:  strings.Contains(w[1], "V"),
			Operations: operations(w[2]),
			since:      since,
		})
	}
	return ps
}

func operations(letters string) []admissionv1.Operation {
	var ops []admissionv1.Operation
	for _, letter := range letters {
		ops = append(ops, map[rune]admissionv1.Operation{
			'C': admissionv1.Create, 'U': admissionv1.Update, 'D': admissionv1.Delete, 'X': admissionv1.Connect,
		}[letter])
	}
	return ops
}

// Chain returns the plugins that run, in chain order: those on by default and those enabled, without those disabled
// (W-005) and those whose feature gate is off, which do nothing.
func (r *Release) Chain(enable, disable []string) ([]Plugin, error) {
	for _, flag := range []struct {
		name    string
		plugins []string
	}{{"enable", enable}, {"disable", disable}} {
		for _, name := range flag.plugins {
			if _, ok := r.Plugin(name); !ok {
				return nil, r.unknownPlugin(flag.name+"-admission-plugins", name)
			}
		}
	}
	for _, name := range enable {
		if slices.Contains(disable, name) {
			return nil, fmt.Errorf("%s in enable-admission-plugins and disable-admission-plugins overlapped", name)
		}
	}
	chain := slices.DeleteFunc(slices.Clone(r.Plugins), func(p Plugin) bool {
		off := !p.Default || slices.Contains(disable, p.Name)
		return off && !slices.Contains(enable, p.Name) || r.gatedOff(p)
	})
	return chain, r.checkWatched(chain)
}

// checkWatched refuses plugins for policies whose version of the policies is not served, so that they cannot list them:
// they forbid everything that the server creates at startup, and the server then ends (W-301).
func (r *Release) checkWatched(chain []Plugin) error {
	for _, p := range chain {
		watched, ok := r.watched(p.Name)
		if _, served := r.ForKind(watched); ok && !served {
			return &unservedError{
				text: fmt.Sprintf("Kubernetes %s: the server does not start: %s waits for %s, which is not served", r.Version, p.Name, watched.GroupVersion()),
				hint: "add " + r.FlagsServing(watched),
			}
		}
	}
	return nil
}

// An unservedError reports a plugin whose policies are not served.
type unservedError struct{ text, hint string }

func (e *unservedError) Error() string { return e.text }

// Hint returns what to do about the error.
func (e *unservedError) Hint() string { return e.hint }

// watched returns the kind that has the name of a plugin: the policies that the plugin reads, in the most mature
// version of the release.
func (r *Release) watched(plugin string) (kind schema.GroupVersionKind, ok bool) {
	for _, o := range r.offered {
		known := o.GroupVersionKind()
		if known.Kind == plugin && (!ok || apimachineryversion.CompareKubeAwareVersionStrings(known.Version, kind.Version) > 0) {
			kind, ok = known, true
		}
	}
	return kind, ok
}

func (r *Release) gatedOff(p Plugin) bool {
	gate, ok := r.pluginGates[p.Name]
	return ok && !r.gates[gate]
}

// Listed returns exactly these plugins in this order, as --admission-control did before 1.10.
func (r *Release) Listed(names []string) ([]Plugin, error) {
	var chain []Plugin
	for i, name := range names {
		p, ok := r.Plugin(name)
		switch {
		case !ok:
			return nil, r.unknownPlugin("admission-control", name)
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("admission-control has %s twice", name)
		}
		chain = append(chain, p)
	}
	return chain, nil
}

// Plugin returns the plugin of that name.
func (r *Release) Plugin(name string) (Plugin, bool) {
	i := slices.IndexFunc(r.Plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		return Plugin{}, false
	}
	return r.Plugins[i], true
}

func (r *Release) pluginNames() []string {
	var names []string
	for _, p := range r.Plugins {
		names = append(names, p.Name)
	}
	return names
}

func (r *Release) unknownPlugin(flag, name string) error {
	err := unknown(fmt.Sprintf("%s plugin %q is unknown", flag, name), name, r.pluginNames())
	err.Else = "admsim plugins --kubernetes-version " + r.Version + " lists them"
	return err
}

// ReleasesWith describes the releases that have a plugin; "" if none has it.
func ReleasesWith(plugin string) string {
	return inWords(func(r *Release) bool {
		_, has := r.Plugin(plugin)
		return has
	})
}

// ReleasesServing describes the releases that can serve a kind, with the flags that the newest of them needs for that;
// "" if none can.
func ReleasesServing(kind schema.GroupVersionKind) string {
	flags := ""
	all := inWords(func(r *Release) bool {
		_, serves := r.ForKind(kind)
		needs := r.FlagsServing(kind)
		if flags == "" && !serves {
			flags = needs
		}
		return serves || needs != ""
	})
	if flags != "" {
		all += " with " + flags
	}
	return all
}

// FlagsServing returns the flags with which the release would serve a kind that it does not serve by default; "" if
// there are none.
func (r *Release) FlagsServing(kind schema.GroupVersionKind) string {
	if _, serves := r.ForKind(kind); serves {
		return ""
	}
	i := slices.IndexFunc(r.offered, func(o Resource) bool { return o.GroupVersionKind() == kind })
	if i < 0 {
		return ""
	}
	var flags []string
	resource := r.offered[i]
	if resource.gate != "" && !r.Enabled(resource.gate) {
		flags = append(flags, "--feature-gates "+resource.gate+"=true")
	}
	if on, asked := r.runtimeConfig(resource); asked && !on || !asked && resource.off {
		key := resource.GroupVersion().String()
		switch {
		case resource.byNameOnly && !r.configures(resource):
			return ""
		case resource.byNameOnly:
			key += "/" + resource.Resource
		}
		flags = append(flags, "--runtime-config "+key+"=true")
	}
	return strings.Join(flags, " ")
}

// OtherVersion returns another version in which the release would serve a kind, with the flags for that; "" if there is
// none. Of several it is the most stable one.
func (r *Release) OtherVersion(of schema.GroupVersionKind) string {
	for _, other := range r.offered {
		kind := other.GroupVersionKind()
		if kind.GroupKind() != of.GroupKind() {
			continue
		}
		if flags := r.FlagsServing(kind); flags != "" {
			return kind.GroupVersion().String() + " with " + flags
		}
	}
	return ""
}

// SubresourceServed returns the flags with which the release would serve a subresource that it does not serve by
// default, and describes the releases that serve it without; both may be empty.
func (r *Release) SubresourceServed(of schema.GroupVersionResource, name string) (flags, others string) {
	find := func(r *Release) (s Subresource, ok bool) {
		i := slices.IndexFunc(r.offered, func(o Resource) bool { return o.GroupVersionResource() == of })
		if i >= 0 {
			s, ok = r.offered[i].Subresources[name]
		}
		return s, ok
	}
	if s, ok := find(r); ok && s.gate != "" && !r.Enabled(s.gate) {
		flags = "--feature-gates " + s.gate + "=true"
	}
	return flags, inWords(func(other *Release) bool {
		s, ok := find(other)
		return ok && (s.gate == "" || other.Enabled(s.gate))
	})
}

// inWords lists the releases for which is returns true, as ranges of consecutive releases.
func inWords(is func(*Release) bool) string {
	var rows []string
	newest, oldest := "", ""
	end := func() {
		switch {
		case newest == "":
			return
		case newest == oldest:
			rows = append(rows, newest)
		default:
			rows = append(rows, oldest+" to "+newest)
		}
		newest = ""
	}
	for _, known := range releases { // starting with the newest
		if !is(known.release()) {
			end()
			continue
		}
		if newest == "" {
			newest = known.version
		}
		oldest = known.version
	}
	end()
	slices.Reverse(rows)
	return strings.Join(rows, ", ")
}
