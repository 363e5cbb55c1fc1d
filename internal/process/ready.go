package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/admsim/admsim/internal/certificate"
)

// Ready is what a webhook has to do to be taken for ready.
type Ready string

const (
	TLS    Ready = "tls"    // answer with the certificate it was given
	AnyTLS Ready = "anytls" // answer with some certificate; calls then have to trust anybody
	TCP    Ready = "tcp"    // listen
)

func (r Ready) check() error {
	switch r {
	case TLS, AnyTLS, TCP:
		return nil
	}
	return fmt.Errorf("%q is not one of %s, %s, %s", r, TLS, AnyTLS, TCP)
}

// How often it is looked whether a webhook is ready: often at first, since a small one
// needs milliseconds.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// probeTimeout is for one attempt, so that a server that accepts and says nothing is
// asked again.
const probeTimeout = 2 * time.Second

// await waits until the process is ready.
func (p *Process) await(ctx context.Context, o Options) error {
	began := time.Now()
	limit, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	pause := firstPause
	var why error
	for {
		err := p.answers(limit, o.Ready)
		if err == nil {
			return p.Err()
		}
		if why == nil || time.Since(began) < o.StartTimeout { // an attempt that was cut off says nothing
			why = err
		}
		var stranger *certificate.StrangerError
		if errors.As(err, &stranger) {
			return p.failed(false, "answers with a certificate that is not the one it was given, which is in {{.CertDir}}: "+err.Error())
		}
		select {
		case <-p.done:
			if p.err == nil { // stopped, since ctx is done
				return context.Cause(ctx)
			}
			return p.failed(true, fmt.Sprintf("%s before it answered on %s", p.err.(*runError).Problem, p.address))
		case <-limit.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("starting webhook %s: %w", p.name, context.Cause(ctx))
			}
			return p.failed(false, fmt.Sprintf("does not answer on %s after %s: %v", p.address, time.Since(began).Round(time.Millisecond), why))
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		}
	}
}

func (p *Process) answers(ctx context.Context, r Ready) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch r {
	case TLS:
		return certificate.Trust{Bundle: p.bundle}.Answers(ctx, p.address)
	case AnyTLS:
		return certificate.Trust{Insecure: true}.Answers(ctx, p.address)
	default:
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.address)
		if err != nil {
			return err
		}
		return connection.Close()
	}
}

// failed stops the process and says what it did.
func (p *Process) failed(early bool, problem string) error {
	p.Stop()
	return &runError{Name: p.name, Problem: problem, early: early, Output: p.Output()}
}
