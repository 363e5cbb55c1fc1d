// Package whatif answers questions about a change before it is deployed: what changes between two
// worlds ([Diff]), what breaks when a webhook does not answer ([Outage]), whether webhooks
// keep to what the server expects of them ([Check]), who set which field of an object
// ([NewBlame]), and how long requests would take ([Latency]).
//
// A question is asked of a world and of a [traffic.Corpus] of requests. What comes back is plain data: counts
// that are exact, and samples of what they count.
//
// The package calls no webhook that the world would not call, and does not know how an answer
// is shown. Its files are named after the questions.
package whatif
