package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/certificate"
)

// Ready is the condition for a webhook to be ready: one of these constants, or a URL on this machine. The URL has to
// answer as a kubelet's probe expects, with a status from 200 to 399, and the webhook's port has to answer with any
// certificate. The URL may have placeholders.
type Ready string

const (
	TLS    Ready = "tls"    // answers with the certificate it was given
	AnyTLS Ready = "anytls" // answers with any certificate; calls then have to trust every server
	TCP    Ready = "tcp"    // listens
)

func (r Ready) check() error {
	switch r {
	case TLS, AnyTLS, TCP:
		return nil
	}
	if !r.isURL() {
		return fmt.Errorf("%q is not one of %s, %s, %s, and no URL", r, TLS, AnyTLS, TCP)
	}
	return nil
}

func (r Ready) isURL() bool {
	return strings.HasPrefix(string(r), "http://") || strings.HasPrefix(string(r), "https://")
}

// expand replaces the placeholders in a URL. It has to be on this machine: the permission to run a program does not
// include requests to other machines.
func (r Ready) expand(v variables) (Ready, error) {
	if !r.isURL() {
		return r, nil
	}
	text, err := v.expand(string(r))
	if err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("ready: %w", err)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("ready: %s is not on this machine", text)
	}
	return Ready(text), nil
}

// How often the condition is checked: often at first, since a small webhook needs only milliseconds.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// probeTimeout limits a single attempt, so that a server that accepts connections but does not answer is tried again.
const probeTimeout = 2 * time.Second

// await waits until the process is ready.
func (p *Process) await(ctx context.Context, o Options) error {
	began := time.Now()
	limit, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	pause := firstPause
	var why error
	for {
		err := p.answers(limit)
		if err == nil {
			return p.Err()
		}
		if why == nil || time.Since(began) < o.StartTimeout { // an attempt that was cut off tells nothing
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
			problem := "does not answer on " + p.address
			if p.ready.isURL() {
				problem = "is not ready"
			}
			return p.failed(false, fmt.Sprintf("%s after %s: %v", problem, time.Since(began).Round(time.Millisecond), why))
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		}
	}
}

func (p *Process) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch p.ready {
	case TLS:
		return certificate.Trust{Bundle: p.bundle}.Answers(ctx, p.address)
	case AnyTLS:
		return certificate.Trust{Insecure: true}.Answers(ctx, p.address)
	case TCP:
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.address)
		if err != nil {
			return err
		}
		return connection.Close()
	}
	if err := probe(ctx, string(p.ready)); err != nil {
		return err
	}
	return certificate.Trust{Insecure: true}.Answers(ctx, p.address)
}

// fewBytes is how much of an endpoint's answer a message shows.
const fewBytes = 500

// probe requests a URL as a kubelet does: it accepts any certificate, and does not follow redirects.
func probe(ctx context.Context, at string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	config, err := certificate.Trust{Insecure: true}.Client()
	if err != nil {
		return err
	}
	response, err := (&http.Transport{DisableKeepAlives: true, TLSClientConfig: config}).RoundTrip(request)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 200 && response.StatusCode < 400 {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, fewBytes)) // as much as can be read
	return fmt.Errorf("%s answers %s: %s", at, response.Status, strings.Join(strings.Fields(string(text)), " "))
}

// failed stops the process and returns an error with its output.
func (p *Process) failed(early bool, problem string) error {
	p.Stop()
	return &runError{Name: p.name, Problem: problem, early: early, Output: p.Output()}
}
