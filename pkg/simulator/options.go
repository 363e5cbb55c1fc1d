package simulator

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func (o Options) withDefaults() Options {
	if o.Release == nil {
		o.Release = kubeversion.Default()
	}
	if o.State == nil {
		o.State = cluster.New()
	}
	if o.Backends == nil {
		o.Backends = func(string, string) dispatch.Backend { return noBackend{} }
	}
	if o.Expressions == nil {
		o.Expressions = expression.New(o.Release)
	}
	if o.Now == nil {
		o.Now = start
	}
	if o.NewUID == nil {
		o.NewUID = CountUIDs()
	}
	return o
}

// start returns the default time.
func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// CountUIDs returns a source of UIDs that count up from one.
func CountUIDs() func() types.UID {
	var last atomic.Int64
	return func() types.UID {
		text := []byte("00000000-0000-4000-8000-000000000000")
		for i, n := len(text)-1, last.Add(1); n > 0; i, n = i-1, n/10 {
			text[i] = byte('0' + n%10)
		}
		return types.UID(text)
	}
}

// noBackend is the backend of all webhooks if Options has no Backends.
type noBackend struct{}

func (noBackend) Call(_ context.Context, c dispatch.Call) dispatch.Reply {
	return dispatch.Reply{Err: &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: "the simulator was given no backends"}}
}

// suffixAlphabet is the alphabet of generated names. It has no vowels, so that no words come up.
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// suffixes returns a source of the five characters that complete a generated name. It counts, like CountUIDs.
func suffixes() func() string {
	var last atomic.Int64
	return func() string {
		n := int(last.Add(1))
		text := []byte("bbbbb")
		for i := len(text) - 1; i >= 0 && n > 0; i-- {
			text[i] = suffixAlphabet[n%len(suffixAlphabet)]
			n /= len(suffixAlphabet)
		}
		return string(text)
	}
}
