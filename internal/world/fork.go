package world

import (
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Fork returns a world with the same cluster whose requests do not depend on those that run
// beside it: it counts uids and generated names by itself. With backends, they answer for its
// webhooks instead.
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

// forkUIDs counts uids apart from those of the objects that a world is made of.
func forkUIDs() func() types.UID {
	var last atomic.Int64
	return func() types.UID {
		return types.UID(fmt.Sprintf("00000000-0000-4000-8001-%012d", last.Add(1)))
	}
}
