package main

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/metrics"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// serverMetrics are the metrics of a server.
type serverMetrics struct{ *metrics.Metrics }

// newServerMetrics returns the metrics of a server of a release that begins with static manifests of plugins.
func newServerMetrics(r *kubeversion.Release, manifests map[string][]simulator.Manifest) serverMetrics {
	m := serverMetrics{metrics.New(r)}
	for plugin, all := range manifests {
		m.reloaded(plugin, all)
	}
	return m
}

// reloaded counts that the static manifests of a plugin were read.
func (m serverMetrics) reloaded(plugin string, manifests []simulator.Manifest) {
	var content bytes.Buffer
	for _, one := range manifests {
		content.WriteString(one.File + "\n")
		content.Write(one.JSON)
	}
	m.Reloaded(plugin, content.Bytes())
}

// rereading is how often folders of static manifests are read again. The server notices changes at once, mostly.
const rereading = time.Second

// reread reads folders of static manifests again and again, until ctx is done or stop is called, which waits for the end.
func (m serverMetrics) reread(ctx context.Context, cluster *serving.Cluster, folders []serving.Folder, say func(format string, args ...any), warn func(error)) (stop func()) {
	if len(folders) == 0 {
		return func() {}
	}
	changed := func(plugin string, now []simulator.Manifest) {
		m.reloaded(plugin, now)
		say("static manifests of %s were read again", plugin)
	}
	failed := func(plugin string, err error) {
		m.NotReloaded(plugin)
		warn(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { cluster.Follow(ctx, folders, rereading, changed, failed) })
	return func() {
		cancel()
		reading.Wait()
	}
}

// follow lets a server count what it answers, and show it.
func (m serverMetrics) follow(o *serving.Options) {
	o.Metrics = m.ServeHTTP
	for _, hook := range []*func(*serve.Answered){&o.Answered, &o.Wrote} {
		before := *hook
		*hook = func(a *serve.Answered) {
			m.Answered(a)
			if before != nil {
				before(a)
			}
		}
	}
}
