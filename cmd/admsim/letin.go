package main

import (
	"sync"

	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/simulator"
)

// letIn lets the programs of webhooks into the cluster of a command that sends requests one after the
// other. They find it as the request does that they are asked about, and what they write is there for
// the next one. No port is opened until a program starts.
type letIn struct {
	warn    func(error)
	cluster *serving.Cluster

	once     sync.Once
	entrance *serving.Entrance
	err      error
}

// start begins with the cluster as it was loaded.
func (l *letIn) start(sim *simulator.Simulator) (err error) {
	l.cluster, err = serving.Start(sim, serving.Options{Controllers: serving.NoControllers(), Warn: l.warn})
	return err
}

// kubeconfig is the path of one for a program that starts. One that converts what is loaded gets none.
func (l *letIn) kubeconfig() (string, error) {
	if l.cluster == nil {
		return "", nil
	}
	l.once.Do(func() { l.entrance, l.err = l.cluster.Open(serving.At{}) })
	if l.err != nil {
		return "", l.err
	}
	return l.entrance.Kubeconfig, nil
}

func (l *letIn) close() {
	if l.entrance != nil {
		_ = l.entrance.Close()
	}
	if l.cluster != nil {
		l.cluster.Close()
	}
}
