package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// ForCase returns the description of the world that a case finds: that of its suite with the changes of the case. Its
// objects are complete.
func ForCase(s *scenario.Suite, c *scenario.Case) scenario.SuiteWorld {
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
	if o.Authorization != nil {
		w.Authorization = o.Authorization
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

// Plugins returns the plugins that run in a world, with their configuration. The warnings are about configuration for
// unknown plugins.
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
	Configure(&made, configuration)
	return made, configuration.Warnings, nil
}

// everyone returns a binding of the role that may do everything to all groups, and to all users that the suite names,
// which may be in no group.
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
	for _, name := range slices.Sorted(maps.Keys(names)) {
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
