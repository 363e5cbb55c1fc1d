package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// apiregistrationKinds are those of the group.
func apiregistrationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(removed.APIRegistrationV1, "APIService", apiService),
		},
	}
}
