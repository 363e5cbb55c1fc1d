package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Outcome is the result of playing a request.
type Outcome struct {
	Recording *Recording
	Request   *Request
	Diff      string // how the answer differs; empty if it agrees
	Trace     string // the steps that led to the answer

	// Undetermined is set if the server's behavior is not determined, and it did something else that is possible.
	Undetermined bool
}

// Name returns the IDs of the recording and of the request.
func (o Outcome) Name() string { return o.Recording.ID + "/" + o.Request.ID }

// Agrees reports whether admsim did the same as the server.
func (o Outcome) Agrees() bool { return o.Diff == "" }

// playMocked plays the requests of a recording in order, with mocks for its webhooks.
func playMocked(ctx context.Context, r *Recording) []Outcome {
	backends, err := backendsOf(r)
	return play(ctx, r, webhooks{backends: backends, clientConfig: mockedAt(r)}, err)
}

// servers plays recordings without webhooks of their own. Recordings with the same profile share a newly started
// server, since starting it takes longer than answering their requests.
type servers map[string]*simulator.Simulator

func (s servers) play(ctx context.Context, r *Recording) []Outcome {
	if r.Plugin != nil {
		return playPlugin(ctx, r)
	}
	if len(r.Webhooks) > 0 || len(r.Configs) > 0 {
		return playMocked(ctx, r)
	}
	backends, err := backendsOf(r)
	w := webhooks{backends: backends, clientConfig: mockedAt(r)}
	key := strings.Join(append([]string{r.dir, r.Profile, r.Kubernetes}, r.Authorization...), "\n")
	if err == nil && s[key] == nil {
		s[key], err = started(r, w)
	}
	var sim *simulator.Simulator
	if err == nil {
		sim, err = filled(ctx, r, w, s[key])
	}
	return playIn(ctx, r, sim, err)
}

// webhooks holds the webhooks of a recording for a run.
type webhooks struct {
	backends func(configuration, webhook string) dispatch.Backend
	// clientConfig returns the client configuration of a webhook, even if the webhook cannot be reached.
	clientConfig func(phase, webhook string) map[string]any
}

func play(ctx context.Context, r *Recording, w webhooks, err error) []Outcome {
	var sim *simulator.Simulator
	if err == nil {
		sim, err = world(ctx, r, w)
	}
	return playIn(ctx, r, sim, err)
}

// playIn plays the requests of a recording in its cluster. err is the reason if there is no cluster.
func playIn(ctx context.Context, r *Recording, sim *simulator.Simulator, err error) []Outcome {
	outcomes := make([]Outcome, len(r.Requests))
	for i := range r.Requests {
		o := &outcomes[i]
		o.Recording, o.Request = r, &r.Requests[i]
		if err != nil {
			o.Diff = fmt.Sprintf("setting up: %v\n", err)
			continue
		}
		sim = o.play(ctx, sim)
	}
	return outcomes
}

func (o *Outcome) play(ctx context.Context, sim *simulator.Simulator) (next *simulator.Simulator) {
	defer func() {
		if p := recover(); p != nil {
			o.Diff, next = fmt.Sprintf("panic: %v\n", p), sim
		}
	}()
	req, err := o.Request.request(sim)
	if err != nil {
		o.Diff = fmt.Sprintf("the request: %v\n", err)
		return sim
	}
	result, err := sim.Do(ctx, req)
	if err != nil {
		o.Diff = fmt.Sprintf("admsim: %v\n", err)
		return sim
	}
	o.Diff, err = o.judge(sim.View().Types(), result)
	if err == nil && o.Diff != "" && result.Undetermined != "" {
		err = o.follow(ctx, sim, req)
	}
	if err != nil {
		o.Diff = fmt.Sprintf("the answer: %v\n", err)
		return result.Next
	}
	if o.Diff != "" {
		o.Trace = stepsOf(result)
	}
	if next, err = sim.After(result); err == nil {
		next, err = settled(o.Recording, next)
	}
	if err != nil {
		o.Diff += fmt.Sprintf("afterwards: %v\n", err)
		return result.Next
	}
	return next
}

// follow repeats the request on the course that the recording shows, if there may be one. That answer is compared as
// usual.
func (o *Outcome) follow(ctx context.Context, sim *simulator.Simulator, req rest.Request) error {
	result, err := sim.Do(&admission.Course{Context: ctx, Answer: seenIn(o.Request.Expect), Form: inForm}, req)
	if err != nil {
		return err
	}
	if diff, err := o.judge(sim.View().Types(), result); err != nil || diff != "" {
		return err
	}
	o.Diff, o.Undetermined = "", true
	return nil
}

// judge compares the server's answer with the result. If the behavior is undetermined, the server's answer may also be
// exactly one of the alternatives in the result.
func (o *Outcome) judge(types *objects.Types, r *simulator.Result) (diff string, err error) {
	for i, possible := range append([]rest.Response{r.Response}, r.Alternatives...) {
		got, err := observed(types, possible, o.Recording)
		if err != nil {
			return "", err
		}
		other := Compare(o.Recording, o.Request, got)
		if other == "" {
			o.Undetermined = i > 0
			return "", nil
		}
		if i == 0 {
			diff = other
		}
	}
	return diff, nil
}

// typeChecking is the profile of servers next to which a controller checks the types in policies.
const typeChecking = "vap-status-controller"

// settled returns the cluster as the next request finds it, after what runs next to the server.
func settled(r *Recording, sim *simulator.Simulator) (*simulator.Simulator, error) {
	if r.Profile != typeChecking {
		return sim, nil
	}
	return sim.CheckPolicies()
}
