package suite

import (
	"encoding/json"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// World is the one that a case finds: that of its suite, with what is different in the case.
// Its objects are all that there are.
func World(s *scenario.Suite, c *scenario.Case) scenario.SuiteWorld {
	w, o := s.World, c.Override
	if o.Release != "" {
		w.Release = o.Release
	}
	if o.Plugins != nil {
		w.Plugins = *o.Plugins
	}
	if o.AllowEveryone != nil {
		w.AllowEveryone = *o.AllowEveryone
	}
	if o.Controllers != nil {
		w.Controllers = *o.Controllers
	}
	w.Objects, w.Incomplete = Replaced(w.Objects, o.Objects), w.Incomplete || o.Incomplete
	if w.AllowEveryone {
		w.Objects = append(w.Objects, everyone(s))
	}
	return w
}

// Plugins are those that run in a world, with their configuration. Warnings are about what the
// configuration says of others.
func Plugins(p scenario.SuitePlugins, r *kubeversion.Release) (made simulator.Plugins, warnings []*scenario.Error, err error) {
	made = simulator.Plugins{Enable: p.Enable, Disable: p.Disable}
	chain, err := r.Chain(p.Enable, p.Disable)
	if err != nil {
		wrong := scenario.At(p.Source, err)
		wrong.Message = "plugins: " + wrong.Message
		return made, nil, wrong
	}
	names := make([]string, len(chain))
	for i, one := range chain {
		names[i] = one.Name
	}
	configuration, err := p.Configuration(names, r)
	if err != nil {
		return made, nil, err
	}
	made.Configuration, made.Located = configuration.Parts, configuration.Located
	return made, configuration.Warnings, nil
}

// Replaced is all, with those of others in the place of what they name again.
func Replaced(all, others []scenario.Manifest) []scenario.Manifest {
	if len(others) == 0 {
		return slices.Clip(all)
	}
	key := func(m scenario.Manifest) string {
		return fmt.Sprintf("%s %s/%s", m.GroupKind(), first(m.Namespace, "default"), m.Name)
	}
	by := map[string]bool{}
	for _, m := range others {
		by[key(m)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(m scenario.Manifest) bool { return by[key(m)] })
	return append(kept, others...)
}

// everyone binds all groups, and all users that the suite names and that may be in none, to
// the role that may do everything.
func everyone(s *scenario.Suite) scenario.Manifest {
	binding := rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}}
	binding.APIVersion, binding.Kind, binding.Name = rbacv1.SchemeGroupVersion.String(), "ClusterRoleBinding", "admsim:everyone"
	for _, group := range []string{"system:authenticated", "system:unauthenticated"} {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: group})
	}
	names := map[string]bool{s.Defaults.User.Username: true}
	for _, c := range s.Cases {
		for _, step := range c.Steps {
			if step.Request != nil && step.Request.User != nil {
				names[step.Request.User.Username] = true
			}
		}
	}
	for _, name := range sorted(names) {
		if name != "" {
			binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name})
		}
	}
	data, err := json.Marshal(binding)
	if err != nil {
		panic(fmt.Sprintf("a role binding does not encode: %v", err))
	}
	return scenario.Manifest{GroupVersionKind: binding.GroupVersionKind(), Name: binding.Name, JSON: data, Source: s.Source}
}
