package objects

import "github.com/admsim/admsim/internal/removed"

// podSecurityPolicy are the rules of a kind that releases up to 1.24 had. A policy that does
// not say whether processes may gain privileges allows it.
var podSecurityPolicy = rules[*removed.PodSecurityPolicy]{
	defaults: func(p *removed.PodSecurityPolicy) {
		if p.Spec.AllowEscalation == nil {
			yes := true
			p.Spec.AllowEscalation = &yes
		}
	},
}
