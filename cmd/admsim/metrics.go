package main

import (
	"bytes"
	"context"
	"time"

	"github.com/admsim/admsim/internal/metrics"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// counts are the metrics of a server.
type counts struct{ *metrics.Metrics }

// newCounts returns the metrics of a server of a release that begins with static manifests of plugins.
func newCounts(r *kubeversion.Release, manifests map[string][]simulator.Manifest) counts {
	c := counts{metrics.New(r)}
	for plugin, all := range manifests {
		c.reloaded(plugin, all)
	}
	return c
}

// reloaded counts that the static manifests of a plugin were read.
func (c counts) reloaded(plugin string, manifests []simulator.Manifest) {
	var content bytes.Buffer
	for _, m := range manifests {
		content.WriteString(m.File + "\n")
		content.Write(m.JSON)
	}
	c.Reloaded(plugin, content.Bytes())
}

// rereading is how often folders of static manifests are read again. The server notices changes at once, mostly.
const rereading = time.Second

// reread reads folders of static manifests again and again, until ctx is done.
func (c counts) reread(ctx context.Context, cluster *serving.Cluster, folders []serving.Folder, say func(format string, args ...any), warn func(error)) {
	if len(folders) == 0 {
		return
	}
	changed := func(plugin string, now []simulator.Manifest) {
		c.reloaded(plugin, now)
		say("static manifests of %s were read again", plugin)
	}
	failed := func(plugin string, err error) {
		c.NotReloaded(plugin)
		warn(err)
	}
	cluster.Follow(ctx, folders, rereading, changed, failed)
}

// follow lets a server count what it answers, and show it.
func (c counts) follow(o *serving.Options) {
	o.Metrics = c.ServeHTTP
	before := o.Answered
	o.Answered = func(a *serve.Answered) {
		c.Answered(a)
		if before != nil {
			before(a)
		}
	}
}
