package cluster

// In returns who answers in the place of of while the cluster is in state s, to questions about
// somebody: of itself, unless it has a method In. The answers of an authorizer about a node
// depend on the node's pods at that moment.
func In[T any](of T, s *State, who string) T {
	if depends, ok := any(of).(interface{ In(s *State, who string) T }); ok {
		return depends.In(s, who)
	}
	return of
}
