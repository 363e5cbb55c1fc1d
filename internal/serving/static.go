package serving

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Folder is a folder of the server with static manifests.
type Folder struct {
	Plugin string               // whose configuration names it
	Loaded []simulator.Manifest // what the cluster began with
	Read   func() ([]simulator.Manifest, error)
}

// Folders returns the folders of plugins. loaded has their manifests, by plugin, and read reads those of a plugin again.
func Folders(loaded map[string][]simulator.Manifest, read func(plugin string) ([]simulator.Manifest, error)) (all []Folder) {
	for _, plugin := range slices.Sorted(maps.Keys(loaded)) {
		all = append(all, Folder{plugin, loaded[plugin], func() ([]simulator.Manifest, error) { return read(plugin) }})
	}
	return all
}

// Follow reads folders again and again until ctx is done, and lets the cluster and its forks use what has changed in
// them (W-049). The cluster goes on with what the folder had before if there is an error in it. changed is called after
// each change with the plugin and what it has now, failed once for each error.
func (c *Cluster) Follow(ctx context.Context, folders []Folder, every time.Duration, changed func(plugin string, now []simulator.Manifest), failed func(plugin string, err error)) {
	type seen struct {
		manifests []simulator.Manifest
		err       string
	}
	last := make([]seen, len(folders))
	for i, f := range folders {
		last[i].manifests = f.Loaded
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for i, f := range folders {
			now := seen{}
			var err error
			if now.manifests, err = f.Read(); err != nil {
				now = seen{last[i].manifests, err.Error()}
			}
			if now.err == last[i].err && same(now.manifests, last[i].manifests) {
				continue
			}
			last[i] = now
			if err == nil {
				err = c.reload(f.Plugin, now.manifests)
			}
			if err != nil {
				failed(f.Plugin, err)
				continue
			}
			changed(f.Plugin, now.manifests)
		}
	}
}

// same reports whether manifests are the same, and in the same places.
func same(a, b []simulator.Manifest) bool {
	return slices.EqualFunc(a, b, func(x, y simulator.Manifest) bool {
		return x.File == y.File && x.Source == y.Source && bytes.Equal(x.JSON, y.JSON)
	})
}

func (c *Cluster) reload(plugin string, manifests []simulator.Manifest) error {
	static, err := c.store.Latest().Reloaded(plugin, manifests)
	if err != nil {
		return err
	}
	c.static.Store(&static)
	return c.forks.Each(func(s *store.Store) error {
		return s.Reconfigure(func(sim *simulator.Simulator) (*simulator.Simulator, error) { return sim.WithStatic(static) })
	})
}
