// Package consent decides which programs may be started and which connections may be opened for the files that admsim
// loads.
//
// Only the user who runs admsim decides: with flags, with the environment, with a trust file that cannot come with a
// world, or with an answer at the terminal. Loaded files have no say. [New] makes a [Policy] from what the caller said.
// [Policy.Exec] and [Policy.Network] then turn an [Act] into a permission, without which neither a process nor a client
// can be created: package process needs an [Exec] to start programs, and package dispatch a [Network] to create
// clients. Their zero values permit nothing.
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

// Granted reports whether the permission was granted. The zero value was not.
func (e Exec) Granted() bool { return e.granted }

// PassEnv returns the environment variables that the program gets in addition to the usual ones.
func (e Exec) PassEnv() []string { return e.pass }

// Network returns the permission to call the program that may be started.
func (e Exec) Network() Network { return Network{e.granted} }

// Network is the permission to open connections.
type Network struct{ granted bool }

// Granted reports whether the permission was granted. The zero value was not.
func (n Network) Granted() bool { return n.granted }

// OfProgram returns the permission of a Go program that creates its own clients: the program is the caller, and names
// what is called.
func OfProgram() Network { return Network{true} }

// A Word is what a caller said about all programs or all connections.
type Word int

const (
	Unsaid Word = iota
	Yes
	No
)

// Options are what the caller said. The zero value permits nothing.
type Options struct {
	Exec, Network Word
	PassEnv       []string // names of variables that programs get in addition to the usual ones

	// Trust returns what the caller trusted earlier; nil: nothing.
	Trust func() (*Trust, error)

	// Ask asks the caller about acts that are about to be needed; nil: the caller cannot be asked.
	Ask func([]Act) (allowed bool, err error)

	// Hint says how to allow an act; nil: no hint.
	Hint func(Act) string
}

// A Policy is what the caller of admsim permits. A nil Policy permits nothing. It may be used concurrently.
type Policy struct {
	options Options

	mu       sync.Mutex
	loaded   []string // what the caller named, see [Policy.Loads]
	declared []Act    // not decided yet
	decided  map[string]bool
	refusals []*Refusal
	trust    *Trust
	trustErr error
	trusted  bool // trust and trustErr are set
}

// New returns the policy of a caller.
func New(o Options) *Policy { return &Policy{options: o, decided: map[string]bool{}} }

// Loads records the files and folders that the caller loads: a trust file among them does not count.
func (p *Policy) Loads(paths ...string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loaded = append(p.loaded, paths...)
}

// Declare records what loaded files may want to do later, so that the caller is asked about everything at once.
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

// Exec returns the permission to start the program of an act. The error is a [*Refusal], or says why the caller could
// not be asked.
func (p *Policy) Exec(a Act) (Exec, error) {
	if !a.IsProgram() {
		return Exec{}, errors.New("there is no command")
	}
	if err := p.decide(a); err != nil {
		return Exec{}, err
	}
	return Exec{granted: true, pass: p.options.PassEnv}, nil
}

// Network returns the permission to open the connection of an act. The error is as for [Policy.Exec].
func (p *Policy) Network(a Act) (Network, error) {
	if a.IsProgram() {
		return Network{}, errors.New("a program is not a connection")
	}
	if err := p.decide(a); err != nil {
		return Network{}, err
	}
	return Network{true}, nil
}

// OfFlag returns the permission for a connection that the caller requested with a flag.
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

// Refusals returns all refusals so far, without duplicates.
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

// ask asks about an act, and at the same time about all others that may be needed.
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
