// Package splitmix generates pseudo-random numbers that are the same for the same seed in every version of Go, so that
// a user who gives a seed gets the same results again. The algorithm is splitmix64.
package splitmix

// A Source is a source of numbers. Its zero value has the seed 0.
type Source struct{ state uint64 }

// New returns a source with a seed.
func New(seed uint64) *Source { return &Source{seed} }

// Uint64 returns the next number.
func (s *Source) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Float64 returns the next number in [0, 1).
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }
