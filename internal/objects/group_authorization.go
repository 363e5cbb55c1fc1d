package objects

// authorizationKinds are those of the group.
func authorizationKinds() Kinds {
	return Kinds{
		Versions: accessReviewVersions(),
	}
}
