package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
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
	return scenario.Defaults{Namespace: f.namespace, User: f.user()}
}

// requests are those to run: the ones of -f, else those that were loaded with the cluster.
func (f *requestFlags) requests(w *world, o scenario.Options, stderr io.Writer) ([]scenario.Request, error) {
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

// api is r as an API request to sim.
func (f *requestFlags) api(r scenario.Request, sim *simulator.Simulator) (rest.Request, error) {
	req, err := r.API(sim.Resources(), f.defaults())
	if err == nil && f.dryRun {
		err = askForDryRun(&req)
	}
	return req, err
}

// askForDryRun writes it where the server looks: into the options in the body of a
// deletion, if it has one (W-018), else into the query.
func askForDryRun(r *rest.Request) error {
	deletes := r.Verb == rest.Delete || r.Verb == rest.DeleteCollection
	if !deletes || len(r.Body) == 0 {
		query := url.Values{}
		for key, values := range r.Query {
			query[key] = values
		}
		query.Set("dryRun", metav1.DryRunAll)
		r.Query = query
		return nil
	}
	var options map[string]any
	if err := json.Unmarshal(r.Body, &options); err != nil {
		return fmt.Errorf("the options of the deletion: %w", err)
	}
	options["dryRun"] = []string{metav1.DryRunAll}
	var err error
	r.Body, err = json.Marshal(options)
	return err
}

// withOld returns sim with the object that r finds in the cluster, where r brings one.
func (w *world) withOld(sim *simulator.Simulator, r scenario.Request, namespace string) (*simulator.Simulator, []*scenario.Error, error) {
	if r.OldObject == nil {
		return sim, nil, nil
	}
	reader, err := scenario.NewObjectReader(sim.State(), w.reading)
	if err != nil {
		return nil, nil, err
	}
	object, warnings, err := reader.Read(*r.OldObject)
	if err != nil || object.Object == nil {
		return sim, warnings, err
	}
	if m, err := meta.Accessor(object.Object); err == nil && r.OldObject.Namespace == "" && m.GetNamespace() != "" {
		m.SetNamespace(namespace)
	}
	sim, err = sim.With(sim.State().With(object))
	return sim, warnings, err
}

// shown is a request as results name it.
func shown(r scenario.Request, req rest.Request) report.Request {
	q := report.Request{
		Label:       r.Label,
		Source:      r.Source.String(),
		Verb:        req.Verb,
		Resource:    metav1.GroupVersionResource(req.Resource),
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.Query.Has("dryRun"),
		User:        req.User,
	}
	if q.Name == "" {
		q.Name = nameIn(req.Body)
	}
	return q
}

// nameIn is the name in the metadata of an object; one that the server completes ends in a
// star.
func nameIn(body []byte) string {
	var o metav1.PartialObjectMetadata
	if json.Unmarshal(body, &o) != nil {
		return ""
	}
	if o.Name == "" && o.GenerateName != "" {
		return o.GenerateName + "*"
	}
	return o.Name
}
