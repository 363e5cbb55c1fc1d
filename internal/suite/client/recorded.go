package client

import (
	"bytes"
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// recorded returns the request of an audit event, for the cluster of sim.
func recorded(sim *simulator.Simulator, r scenario.Recorded) (world.Asked, error) {
	asked := world.Asked{From: scenario.Request{Source: r.Source}, Simulator: sim}
	record, err := theRecord(r)
	if err != nil {
		return asked, &scenario.Error{Source: r.Source, Message: err.Error(), Err: err}
	}
	if !record.Runs() {
		return asked, &scenario.Error{Source: r.Source, Message: "this event is not a request to run: " + record.Skip.String()}
	}
	if record.Review != nil {
		request, err := scenario.Request{Source: r.Source, Review: record.Review}.Admission(sim.Resources(), sim.View().Types(), scenario.Defaults{})
		asked.Review = &request
		return asked, err
	}
	asked.API = *record.Request
	if record.Old.Knowledge != recording.Exists {
		return asked, nil
	}
	old, err := sim.Stored(record.Old.Object)
	if err != nil {
		return asked, fmt.Errorf("%s: the object as it was before: %w", r.Source, err)
	}
	asked.Simulator, err = sim.With(sim.State().With(cluster.Object{Object: old, Source: r.Source.String()}))
	return asked, err
}

func theRecord(r scenario.Recorded) (*recording.Record, error) {
	open := func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(append(bytes.Clone(r.JSON), '\n'))), nil
	}
	reader, err := recording.NewReader([]recording.Source{{Name: r.File, Open: open}}, recording.Options{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return reader.Next()
}
