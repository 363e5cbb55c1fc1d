// Package splitmix makes numbers that look random, and are the same for the same seed in every version of Go. So a user
// who gives a seed gets the same draws again. The algorithm is splitmix64.
package splitmix

// A Source is a source of numbers. Its zero value has the seed 0.
type Source struct{ state uint64 }

// New returns the source of a seed.
func New(seed uint64) *Source { return &Source{seed} }

// Uint64 is any number.
func (s *Source) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Float64 is in [0, 1).
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }
