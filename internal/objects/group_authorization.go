package objects

// authorizationGroup is what the server has of the group.
func authorizationGroup() Group {
	return Group{
		Versions: accessReviewVersions(),
	}
}
