package recording

// meanings say in words what the codes mean that are shown to people.
var meanings = map[Code]string{
	NotFinal:        "an event of an earlier stage",
	Panicked:        "the server panicked",
	ReadOnly:        "admission is not called",
	NonResource:     "not a request for a resource",
	Unauthenticated: "the user is unknown",
	Unauthorized:    "refused before admission",
	Throttled:       "the server was too busy",
	Truncated:       "the event was too large, so the log does not have the objects",
	BodyNotLogged:   "the log does not have the body, as at level Metadata",
	BodyRefused:     "the server could not decode the body, and logs only what it decoded",
	URINotParsed:    "not a path of the API",
	UnknownVerb:     "no server has this verb",
	PatchNotLogged:  "a patch in a shape that no content type has",
	NoReviewRequest: "a review with only a response",

	OldUnknown:     "the object before it was never seen",
	OldStale:       "the object before it changed since it was seen",
	OldNewer:       "the object was seen only as it was after the request",
	OldBehind:      "the object before it was changed by something that is not in the log",
	BodyDecoded:    "the body as it was sent: the log has it with defaults and without unknown fields",
	PatchAssumed:   "the content type of the patch: it was taken from its shape",
	OptionsUnknown: "the options of the deletion: the log does not have them",
	AnswerUnknown:  "the answer: the log has no object of it",
	WithoutManaged: "the managed fields: the log leaves them out",
}

// Meaning says in words what the code means. Empty: the code says it, or belongs to another package.
func (c Code) Meaning() string { return meanings[c] }
