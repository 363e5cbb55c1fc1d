package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// apiregistrationGroup is what the server has of the group.
func apiregistrationGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(removed.APIRegistrationV1, "APIService", apiService),
		},
	}
}
