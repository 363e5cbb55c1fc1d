// Package whatif contains what the questions to ask before deploying share: who did something in an answer ([Actor],
// [Decider]), what an answer says ([Allowed], [Calls], [Shape]), and which requests have no answer ([RequestError]).
//
// Each question is a package below it: what changes between two worlds (diff), what breaks when webhooks do not answer
// (outage), whether webhooks meet the server's expectations (check), who set which field of an object (blame), and how
// long requests take (latency). The other packages are parts of questions: the webhooks that users name (webhooks),
// what can be wrong with them (trouble), the requests that a cluster needs to heal (healing), worlds with other
// webhooks (variant), who set each field of an object (history), and the fields in which two objects differ (fields).
//
// A question is about a world and a corpus of requests. The result is plain data: exact counts, and samples of what
// they count. None of the packages calls a webhook that the world would not call, or knows how an answer is shown.
package whatif
