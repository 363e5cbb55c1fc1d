package world

import (
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Fork returns a world with the same cluster whose requests do not depend on others that run in parallel: it has its
// own counters for UIDs and generated names. If backends is not nil, it answers for the webhooks instead.
func (w *World) Fork(backends func(configuration, webhook string) dispatch.Backend) (*World, error) {
	newUID := forkUIDs()
	sim, err := w.sim.Fork(newUID, backends)
	if err != nil {
		return nil, err
	}
	forked := &World{sim: sim, reading: w.reading}
	forked.reading.NewUID = newUID
	return forked, nil
}

// forkUIDs returns a counter for UIDs that differ from those of the objects that a world was made from.
func forkUIDs() func() types.UID {
	var last atomic.Int64
	return func() types.UID {
		return types.UID(fmt.Sprintf("00000000-0000-4000-8001-%012d", last.Add(1)))
	}
}
