package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/scenario"
)

// requestFlags say what is asked, by whom.
type requestFlags struct {
	files     []string
	namespace string
	as        string
	asGroups  []string
	verb      string
	verbs     []string // those that verb can be; nil: those of a manifest
	dryRun    bool
}

func (f *requestFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "`PATH` of requests: manifests to create, AdmissionReviews, kind Request; - is standard input; repeatable")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of what names none (default \"default\")")
	flags.StringVar(&f.as, "as", "", "`USER` who asks, where the request does not say (default a cluster administrator)")
	flags.StringArrayVar(&f.asGroups, "as-group", nil, "`GROUP` of that user; repeatable")
	flags.StringVar(&f.verb, "verb", rest.Create, "what to do with plain manifests: "+strings.Join(manifestVerbs, ", "))
	flags.BoolVar(&f.dryRun, "dry-run", false, "ask for a dry run, as kubectl --dry-run=server does")
	_ = c.RegisterFlagCompletionFunc("verb", cobra.FixedCompletions(manifestVerbs, cobra.ShellCompDirectiveNoFileComp))
}

// What can be done with a manifest that is no request in itself.
var manifestVerbs = []string{rest.Create, rest.Update, rest.Delete}

// check checks what can be checked without looking at any file.
func (f *requestFlags) check() error {
	f.verb = strings.ToLower(f.verb)
	if f.verbs == nil {
		f.verbs = manifestVerbs
	}
	if err := checkVerb(f.verb, f.verbs); err != nil {
		return err
	}
	if f.as == "" && len(f.asGroups) > 0 {
		return hinted(errors.New("--as-group without --as"), "say who is in that group with --as")
	}
	return nil
}

// user is who asks. The groups that a user is in by being one are added as the server does
// for an impersonated one:
// kubernetes/apiserver:pkg/endpoints/filters/impersonation.go.
func (f *requestFlags) user() authenticationv1.UserInfo {
	if f.as == "" {
		return authenticationv1.UserInfo{Username: "kubernetes-admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	}
	groups := slices.Clone(f.asGroups)
	if namespace, _, err := serviceaccount.SplitUsername(f.as); err == nil && len(groups) == 0 {
		groups = serviceaccount.MakeGroupNames(namespace)
	}
	everybody := user.AllAuthenticated
	if f.as == user.Anonymous {
		everybody = user.AllUnauthenticated
	}
	if !slices.Contains(groups, everybody) {
		groups = append(groups, everybody)
	}
	return authenticationv1.UserInfo{Username: f.as, Groups: groups}
}

func (f *requestFlags) defaults() scenario.Defaults {
	return scenario.Defaults{Namespace: f.namespace, User: f.user(), DryRun: f.dryRun}
}

// requests are those to run: the ones of -f, else those that were loaded with the cluster.
func (f *requestFlags) requests(w *loaded, o scenario.Options, stderr io.Writer) ([]scenario.Request, error) {
	if len(f.files) == 0 {
		if len(w.bag.Requests) == 0 {
			return nil, hinted(errors.New("there is no request"), "give one with -f; a manifest, an AdmissionReview or a document of kind Request")
		}
		return w.bag.Requests, nil
	}
	if n := len(w.bag.Requests); n > 0 {
		fmt.Fprintf(stderr, "admsim: warning: -f says what to run, so %s loaded with the cluster not run\n", countWere(n, "request"))
	}
	found, err := scenario.Load(f.files, o)
	if err != nil {
		return nil, err
	}
	requests, err := scenario.Requests(found, f.verb, o)
	if err == nil && len(requests) == 0 {
		err = fmt.Errorf("there is no request in %s", strings.Join(f.files, ", "))
	}
	return requests, err
}

func countWere(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}
