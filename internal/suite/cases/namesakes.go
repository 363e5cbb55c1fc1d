package cases

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
)

// Namesakes are warnings of suites that are called as another one before them, by their positions:
// reports tell their cases apart by nothing but places, and names select the cases of all of them.
func Namesakes(suites []scenario.Suite) []*scenario.Error {
	all := make([]*scenario.Error, len(suites))
	before := map[string]scenario.Source{}
	for i, s := range suites {
		other, twice := before[s.Name]
		if !twice {
			before[s.Name] = s.Source
			continue
		}
		all[i] = &scenario.Error{Source: s.Source, Message: fmt.Sprintf("this suite is called %q, as that of %s is", s.Name, other),
			Hint: "give it another metadata.name"}
	}
	return all
}
