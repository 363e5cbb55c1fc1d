package cluster

// In returns the variant of of that answers questions about the user who in a cluster with state s. This is of itself,
// unless it has a method In. For example, what an authorizer answers about a node depends on the pods that are on the
// node at that moment.
func In[T any](of T, s *State, who string) T {
	if depends, ok := any(of).(interface{ In(s *State, who string) T }); ok {
		return depends.In(s, who)
	}
	return of
}
