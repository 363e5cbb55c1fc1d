// Package lint has what the rules of admsim lint are made of: the good practices that
// Kubernetes writes down for admission webhooks and policies, as rules that can be checked
// before any request fails.
//
// A [Rule] has an id that stays, a severity, and says why it is one and what to do; its
// check is a function over a [Subject], the webhooks and policies of a cluster with
// everything around them, and reports each [Finding] at a [Field]. Where a rule asks whether
// a webhook would see some request, the real matcher answers: [Subject.Sees].
//
// The rules are in the packages manifests (what is written) and calls (what webhooks do).
// Package linter checks all of them. The practices are those of [PracticesURL].
package lint
