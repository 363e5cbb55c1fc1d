package simulator

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// A Manifest is one object in a folder named by staticManifestsDir: webhooks and policies that the server reads from
// its own disk (KEP-5793), and that the API neither shows nor changes.
type Manifest struct {
	File   string // its name in the server's messages
	JSON   []byte
	Source string         // where the user wrote it
	Places cluster.Places // nil: only the place of the whole manifest is known
}

// Plugins says which admission plugins run, and how they are configured. The zero value means the defaults of the
// release.
type Plugins struct {
	Enable  []string // in addition to those that are on by default: --enable-admission-plugins
	Disable []string // of those that are on by default: --disable-admission-plugins

	// Only lists all plugins that run, in this order, instead of those of the release: --admission-control, as before
	// 1.10. Nil: Enable and Disable apply.
	Only []string

	// Configuration holds the part of the admission configuration that belongs to each plugin, as JSON: the content of
	// the file of --admission-control-config-file. The configuration of a plugin that does not run is ignored.
	Configuration map[string][]byte

	// Manifests holds the objects in the folder that the configuration of a plugin names in staticManifestsDir, by name
	// of the plugin, in the order of the files. A plugin without an entry has no such folder.
	Manifests map[string][]Manifest

	// Located returns an error about the configuration of a plugin with the positions that it is about. Nil: errors
	// have no positions.
	Located func(plugin string, err error) error
}

func (p Plugins) located(plugin string, err error) error {
	if err == nil || p.Located == nil {
		return err
	}
	return p.Located(plugin, err)
}

// Names returns the plugins that run, in order.
func (p Plugins) Names(r *kubeversion.Release) ([]string, error) {
	chain, err := bootstrap.Plugins(r, p.Enable, p.Disable, p.Only)
	names := make([]string, len(chain))
	for i, plugin := range chain {
		names[i] = plugin.Name
	}
	return names, err
}

// at returns the server of a cluster in the middle of a request.
func (p *parts) at(o Options) func(*cluster.State) (*rest.Server, error) {
	return func(s *cluster.State) (*rest.Server, error) {
		parts, err := newParts(p, s, o)
		if err != nil {
			return nil, err
		}
		return parts.server, nil
	}
}

// added returns what controllers add to an object that a plugin wrote.
func (o Options) added(s *cluster.State, written cluster.Object) []cluster.Object {
	if ns, ok := written.Object.(*corev1.Namespace); ok && o.controllers {
		return addedTo(s, ns, o.Release)
	}
	return nil
}
