package cases

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
)

// Namesakes returns warnings for suites that have the same name as an earlier one, by position. Reports can tell the
// cases of such suites apart only by their places, and a name selects the cases of all of them.
func Namesakes(suites []scenario.Suite) []*scenario.Error {
	all := make([]*scenario.Error, len(suites))
	before := map[string]scenario.Source{}
	for i, s := range suites {
		other, twice := before[s.Name]
		if !twice {
			before[s.Name] = s.Source
			continue
		}
		all[i] = &scenario.Error{Source: s.Source, Message: fmt.Sprintf("another suite, in %[2]s, is also named %[1]q", s.Name, other),
			Hint: "give it another metadata.name"}
	}
	return all
}
