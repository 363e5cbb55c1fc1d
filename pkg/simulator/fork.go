package simulator

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Fork returns a simulator of the same cluster with its own source of UIDs and generated names, so that its answers do
// not depend on simulators that run at the same time. backends replaces the backends of s, unless it is nil. Compiled
// webhooks and policies are shared with s.
func (s *Simulator) Fork(newUID func() types.UID, backends func(configuration, webhook string) dispatch.Backend) (*Simulator, error) {
	o := s.options
	o.NewUID = newUID
	release := *s.parts.release
	release.dispatcher, release.suffix = dispatch.New(newUID), suffixes()
	before := *s.parts
	before.release, before.builtIn, before.server, before.hooks = &release, nil, nil, s.parts.hooks.Fork(backends)
	if backends != nil {
		o.Backends = backends
		before.view = before.view.Unanswered()
	}
	parts, err := newParts(&before, s.state, o)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: o, state: s.state, parts: parts}, nil
}
