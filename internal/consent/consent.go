// Package consent decides which programs may be started and which connections may be opened
// for the files that admsim loads.
//
// Only the user who runs admsim decides: by flags, by the environment, by a trust file that no
// world can bring, or by an answer at the terminal. What is loaded has no say. [New] makes a
// [Policy] of what the caller said. [Policy.Exec] and [Policy.Network] then turn an [Act]
// into a permission, without which neither a process nor a client can be made: an [Exec] is
// what package process starts programs with, a [Network] what package dispatch makes clients
// with. Their zero values permit nothing.
//
// The package starts no programs and opens no connections. It knows neither flags nor the format of
// the trust file, and does not know what is shown at the terminal.
package consent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Exec is the permission to start a program.
type Exec struct {
	granted bool
	pass    []string
}

// Granted reports whether it is one; the zero value is none.
func (e Exec) Granted() bool { return e.granted }

// PassEnv are the variables of the environment that the program gets beside the usual ones.
func (e Exec) PassEnv() []string { return e.pass }

// Network is the permission to call the program that may be started.
func (e Exec) Network() Network { return Network{e.granted} }

// Network is the permission to open connections.
type Network struct{ granted bool }

// Granted reports whether it is one; the zero value is none.
func (n Network) Granted() bool { return n.granted }

// OfProgram is the permission that a Go program has that makes its own clients: it is the
// caller, and names who is called.
func OfProgram() Network { return Network{true} }

// A Word is what a caller said of all programs or of all connections.
type Word int

const (
	Unsaid Word = iota
	Yes
	No
)

// Options are what the caller said. The zero value permits nothing.
type Options struct {
	Exec, Network Word
	PassEnv       []string // names of variables that programs get beside the usual ones

	// Trust is what the caller wrote down earlier; nil: nothing.
	Trust func() (*Trust, error)

	// Ask asks the caller about acts that are about to be needed; nil: nobody can be asked.
	Ask func([]Act) (allowed bool, err error)

	// Hint says how to allow an act; nil: no hint.
	Hint func(Act) string
}

// A Policy is what the caller of admsim permits. A nil Policy permits nothing. It may be used
// by many requests at once.
type Policy struct {
	options Options

	mu       sync.Mutex
	loaded   []string // what the caller named, see [Policy.Loads]
	declared []Act    // not decided yet
	decided  map[string]bool
	refusals []*Refusal
	trust    *Trust
	trustErr error
	trusted  bool // trust and trustErr are known
}

// New returns the policy of a caller.
func New(o Options) *Policy { return &Policy{options: o, decided: map[string]bool{}} }

// Loads notes the files and folders that the caller has loaded: a trust file among them does
// not count.
func (p *Policy) Loads(paths ...string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loaded = append(p.loaded, paths...)
}

// Declare notes what loaded files may want done later, so that the caller is asked about all
// of it at once.
func (p *Policy) Declare(acts ...Act) {
	if p == nil || p.options.Ask == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range acts {
		if _, known := p.decided[a.key()]; !known && !slices.ContainsFunc(p.declared, func(d Act) bool { return d.key() == a.key() }) {
			p.declared = append(p.declared, a)
		}
	}
}

// Exec is the permission to do an act that is a program. The error is a [*Refusal], or says
// why the caller could not be asked.
func (p *Policy) Exec(a Act) (Exec, error) {
	if !a.IsProgram() {
		return Exec{}, errors.New("there is no command")
	}
	if err := p.decide(a); err != nil {
		return Exec{}, err
	}
	return Exec{granted: true, pass: p.options.PassEnv}, nil
}

// Network is the permission to do an act that is a connection. The error is as that of
// [Policy.Exec].
func (p *Policy) Network(a Act) (Network, error) {
	if a.IsProgram() {
		return Network{}, errors.New("a program is no connection")
	}
	if err := p.decide(a); err != nil {
		return Network{}, err
	}
	return Network{true}, nil
}

// OfFlag is the permission for a connection that the caller asked for by a flag that says so.
func (p *Policy) OfFlag() Network { return Network{p != nil} }

func (p *Policy) decide(a Act) error {
	if p == nil {
		return &Refusal{Act: a}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	allowed, err := p.allows(a)
	if err != nil || allowed {
		return err
	}
	refusal := &Refusal{Act: a}
	if p.options.Hint != nil {
		refusal.Hint = p.options.Hint(a)
	}
	if p.trust != nil && p.word(a) == Unsaid {
		if reason := p.trust.discounted(slices.Concat(p.loaded, []string{a.File})); reason != "" {
			refusal.Hint = strings.TrimPrefix(refusal.Hint+"; "+reason, "; ")
		}
	}
	if !slices.ContainsFunc(p.refusals, func(r *Refusal) bool { return r.Act.key() == a.key() }) {
		p.refusals = append(p.refusals, refusal)
	}
	return refusal
}

// Refusals are all so far, each once.
func (p *Policy) Refusals() []*Refusal {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refusals)
}

func (p *Policy) word(a Act) Word {
	if a.IsProgram() {
		return p.options.Exec
	}
	return p.options.Network
}

func (p *Policy) allows(a Act) (bool, error) {
	switch p.word(a) {
	case Yes:
		return true, nil
	case No:
		return false, nil
	}
	if allowed, known := p.decided[a.key()]; known {
		return allowed, nil
	}
	trusted, err := p.trusts(a)
	if err != nil || trusted {
		return trusted, err
	}
	if p.options.Ask == nil {
		return false, nil
	}
	return p.ask(a)
}

// ask asks about an act, and in the same breath about all others that may be needed.
func (p *Policy) ask(a Act) (bool, error) {
	acts := []Act{a}
	for _, d := range p.declared {
		if d.key() == a.key() || p.word(d) != Unsaid {
			continue
		}
		if trusted, err := p.trusts(d); err == nil && !trusted {
			acts = append(acts, d)
		}
	}
	p.declared = nil
	allowed, err := p.options.Ask(acts)
	if err != nil {
		return false, fmt.Errorf("asking whether it may be done: %w", err)
	}
	for _, one := range acts {
		p.decided[one.key()] = allowed
	}
	return allowed, nil
}

func (p *Policy) trusts(a Act) (bool, error) {
	if p.options.Trust == nil {
		return false, nil
	}
	if !p.trusted {
		p.trust, p.trustErr = p.options.Trust()
		p.trusted = true
	}
	if p.trustErr != nil || p.trust == nil {
		return false, p.trustErr
	}
	return p.trust.discounted(slices.Concat(p.loaded, []string{a.File})) == "" && p.trust.covers(a), nil
}

// A Refusal is an act that was not permitted.
type Refusal struct {
	Act  Act
	Hint string // how to allow it
}

func (r *Refusal) Error() string {
	if r.Act.IsProgram() {
		return fmt.Sprintf("the backend of %s runs a program, which is not allowed: %s", Shown(r.Act.For), r.Act)
	}
	return fmt.Sprintf("the backend of %s is called over the network, which is not allowed: %s", Shown(r.Act.For), r.Act)
}
