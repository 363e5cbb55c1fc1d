// Package client sends the requests of the cases of suites, each to the cluster that the previous one left.
//
// Start with [New]. [Ask] is for callers that need the requests of cases without the expectations.
package client

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Client sends the requests of one case.
type Client struct {
	world    *world.World
	sim      *simulator.Simulator
	defaults scenario.Defaults
}

// New returns a client for a world. Defaults are used for what requests leave open.
func New(w *world.World, d scenario.Defaults) *Client {
	return &Client{world: w, sim: w.Simulator(), defaults: d}
}

// Simulator returns the simulator of the cluster as it is now.
func (c *Client) Simulator() *simulator.Simulator { return c.sim }

// Send sends the request of a step to the server.
func (c *Client) Send(ctx context.Context, step scenario.CaseStep) (world.Asked, *simulator.Result, error) {
	asked, err := Ask(c.world, c.sim, step, c.defaults)
	if err != nil {
		return asked, nil, err
	}
	result, err := c.answer(ctx, asked)
	return asked, result, err
}

// SendNext sends the request that a controller sends because of an answer. child is nil if no controller does.
func (c *Client) SendNext(ctx context.Context, parent world.Asked, answer *simulator.Result) (child *workload.Child, asked world.Asked, result *simulator.Result, err error) {
	if child, err = workload.Next(answer); child == nil || err != nil {
		return nil, asked, nil, err
	}
	asked = parent.Then(child.String(), child.Request, answer)
	result, err = c.answer(ctx, asked)
	return child, asked, result, err
}

func (c *Client) answer(ctx context.Context, asked world.Asked) (*simulator.Result, error) {
	result, err := asked.Answer(ctx)
	if err == nil {
		c.sim = result.Next
	}
	return result, err
}

// Ask prepares the request of a step for the cluster of sim, which is that of w or one that earlier requests left.
func Ask(w *world.World, sim *simulator.Simulator, step scenario.CaseStep, d scenario.Defaults) (world.Asked, error) {
	if step.Recorded != nil {
		return recorded(sim, *step.Recorded)
	}
	return w.Ask(sim, step.Request.Strict(), d)
}
