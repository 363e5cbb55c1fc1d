// Package lint contains what the rules of admsim lint are made of: the good practices that Kubernetes documents for
// admission webhooks and policies, as rules that can be checked before any request fails.
//
// A [Rule] has a permanent id, a severity, a reason and a remedy. Its check is a function over a [Subject], the
// webhooks and policies of a cluster with everything around them, and reports each [Finding] at a [Field]. If a rule
// asks whether a webhook would see some request, the real matcher answers: [Subject.Sees].
//
// The rules are in the packages manifests (what is written) and calls (what webhooks do). Package linter checks all of
// them. The practices are those of [PracticesURL].
package lint
