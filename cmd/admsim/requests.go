package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/rest"
)

// requestFlags are the flags that describe the requests and who sends them.
type requestFlags struct {
	files     []string
	namespace string
	as        string
	asGroups  []string
	verb      string
	verbs     []string // allowed values of verb; nil: those for a manifest
	dryRun    dryRunFlag
	fields    string // --field-validation
	old       string // file with the object before the request
	expand    bool   // also send the requests of controllers

	cluster *clusterFlags // its context may name the default namespace; may be nil
}

// addExpand adds the flag of the commands that follow workloads to their pods.
func (f *requestFlags) addExpand(c *cobra.Command) {
	c.Flags().BoolVar(&f.expand, "expand", false, "also send the requests of the controllers of workloads: the ReplicaSet of a Deployment and the first of its pods, the Job of a CronJob, and so on")
}

func (f *requestFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "`PATH` of requests: manifests to create, AdmissionReviews, or kind Request; - is standard input; repeatable")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`NAMESPACE` for objects that name none (default \"default\")")
	flags.StringVar(&f.as, "as", "", "`USER` who sends the request, if it does not say (default a cluster administrator); with --authorization=RBAC, roles decide what they may do")
	flags.StringArrayVar(&f.asGroups, "as-group", nil, "`GROUP` of that user; repeatable")
	flags.StringVar(&f.verb, "verb", rest.Create, "what to do with plain manifests: "+strings.Join(manifestVerbs, ", ")+"; apply as kubectl apply --server-side does")
	f.addFieldValidation(c)
	flags.StringVar(&f.old, "old", "", "`FILE` of the object before the request, for update and delete")
	flags.Var(&f.dryRun, "dry-run", "ask for a dry run, as kubectl --dry-run=server does")
	flags.Lookup("dry-run").NoOptDefVal = "server"
	setCompletions(c, "verb", manifestVerbs)
}

// addFieldValidation adds the flag that says how to treat unknown fields.
func (f *requestFlags) addFieldValidation(c *cobra.Command) {
	c.Flags().StringVar(&f.fields, "field-validation", "Strict", "what to do about unknown and repeated fields in plain manifests: fail (Strict, as kubectl does), warn (Warn, the server's own default) or nothing (Ignore)")
	setCompletions(c, "field-validation", fieldValidations)
}

// A dryRunFlag is --dry-run with the values that kubectl accepts.
type dryRunFlag bool

func (f *dryRunFlag) String() string { return fmt.Sprint(bool(*f)) }
func (f *dryRunFlag) Type() string   { return "bool" }

func (f *dryRunFlag) Set(text string) error {
	switch text {
	case "true", "server":
		*f = true
	case "false", "none":
		*f = false
	case "client":
		return want("server: a dry run of the client sends nothing to the server")
	default:
		return want("server or none")
	}
	return nil
}

var fieldValidations = []string{"Strict", "Warn", "Ignore"}

// manifestVerbs are the verbs that --verb accepts for a plain manifest.
var manifestVerbs = []string{rest.Create, rest.Update, scenario.Apply, rest.Delete}

// check checks the flags without reading any file.
func (f *requestFlags) check() error {
	f.verb = strings.ToLower(f.verb)
	if f.verbs == nil {
		f.verbs = manifestVerbs
	}
	if err := checkVerb(f.verb, f.verbs); err != nil {
		if slices.Contains(resourceVerbs, f.verb) { // verbs that need no manifest
			err = hinted(errors.New(didyoumean.In(err).Problem), fmt.Sprintf("send it with -f and a document of kind Request: {apiVersion: %s, kind: Request, verb: %s, resource: pods, namespace: default}", scenario.APIVersion, f.verb))
		}
		return err
	}
	if err := f.checkFieldValidation(); err != nil {
		return err
	}
	if f.as == "" && len(f.asGroups) > 0 {
		return hinted(errors.New("--as-group without --as"), "name a user of that group with --as")
	}
	return nil
}

// checkFieldValidation checks the flag that [requestFlags.addFieldValidation] adds.
func (f *requestFlags) checkFieldValidation() error {
	if f.fields != "" && !slices.Contains(fieldValidations, f.fields) { // not all commands have the flag
		return oneOf("--field-validation", f.fields, fieldValidations)
	}
	return nil
}

// user returns the user who sends the requests. Groups that every user is in are added as the server does for an
// impersonated user: kubernetes/apiserver:pkg/endpoints/filters/impersonation.go.
func (f *requestFlags) user() authenticationv1.UserInfo {
	if f.as == "" {
		return admission.Administrator()
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
	namespace := f.namespace
	if namespace == "" && f.cluster != nil && f.cluster.copied != nil {
		namespace = f.cluster.copied.namespace
	}
	return scenario.Defaults{Namespace: namespace, User: f.user(), DryRun: bool(f.dryRun), FieldValidation: f.fields}
}

// load loads the cluster. Paths after -C may turn out to be the requests, as if named with -f: they are if the cluster
// would otherwise have no request.
func (f *requestFlags) load(ctx context.Context, cluster *worldFlags, paths []string, o scenario.Options, stderr io.Writer) (*loaded, error) {
	if len(cluster.paths) == 0 || len(paths) == 0 || len(f.files) > 0 || slices.Contains(cluster.paths, "-") {
		return cluster.load(ctx, paths, o, stderr)
	}
	if !slices.Contains(paths, "-") { // standard input can be read only once
		found, unread := scenario.Load(paths, o) // errors are reported when they are loaded
		if bag, unsorted := scenario.Sort(found, o); unread != nil || unsorted != nil || len(bag.Requests) > 0 {
			return cluster.load(ctx, paths, o, stderr)
		}
	}
	var warnings bytes.Buffer
	w, err := cluster.load(ctx, nil, o, &warnings)
	if len(w.Bag.Requests) > 0 {
		if err == nil {
			w.close(io.Discard)
		}
		return cluster.load(ctx, paths, o, stderr)
	}
	f.files = paths
	_, unwritten := warnings.WriteTo(stderr)
	return w, errors.Join(err, unwritten)
}

// requests returns the requests to run: those of -f, or else those that were loaded with the cluster.
func (f *requestFlags) requests(w *loaded, o scenario.Options, stderr io.Writer) (all []scenario.Request, err error) {
	list, err := f.list(w, o, stderr)
	if err != nil {
		return nil, err
	}
	return all, list.each(func(r scenario.Request) error {
		all = append(all, r)
		return nil
	})
}

// A requestList is a list of requests that have been checked.
type requestList struct {
	kept  []scenario.Request
	again func(take func(scenario.Request) error) error // reads them again; nil: all are in kept
}

// mostKept is how many requests are kept between checking and running them. Longer lists are read again, one request at
// a time.
const mostKept = 1000

func (l requestList) each(take func(scenario.Request) error) error {
	if l.again != nil {
		return l.again(take)
	}
	for _, r := range l.kept {
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}

// list checks the requests to run. All are checked before the first one is sent.
func (f *requestFlags) list(w *loaded, o scenario.Options, stderr io.Writer) (list requestList, err error) {
	o.Again = true // files named twice are sent twice
	again := o     // warns of nothing
	o.PassedOverLink = func(name string) { warnLink(stderr, name) }
	o.Changed = func(warning *scenario.Error) { printWarning(stderr, placed(warning), warning.Hint) }
	if len(f.files) == 0 {
		if len(w.Bag.Requests) == 0 && len(w.Bag.Objects) > 0 {
			file := w.Bag.Objects[len(w.Bag.Objects)-1].Source.File
			if file == scenario.Stdin {
				file = "-"
			}
			return list, hinted(errors.New("there is no request: all manifests are objects of the cluster"),
				"-C and paths without -f name the cluster. To send the objects of a file to it, name the file with -f, such as -f "+file)
		}
		if len(w.Bag.Requests) == 0 {
			return list, hinted(errors.New("there is no request"), "name a file with one, such as -f pod.yaml: a manifest, an AdmissionReview or a document of kind Request")
		}
		list.kept = w.Bag.Requests
		var checks requestChecks
		for _, r := range list.kept {
			checks.add(f, r)
		}
		return list, f.complete(&list, checks, o, stderr)
	}
	if n := len(w.Bag.Requests); n > 0 {
		fmt.Fprintf(stderr, "admsim: warning: %s not run, because -f names the requests\n", words.AreCounted(n, "request among the files of -C is", "requests among the files of -C are"))
	}
	var checks requestChecks
	var passed []string
	o.PassedOver = func(name string) { passed = append(passed, name) }
	var unserved []error // if requests are not run, their resources are checked here
	check := func(r scenario.Request) {
		if w.World == nil {
			return
		}
		if err := r.CheckResource(w.Simulator().Resources()); err != nil {
			unserved = append(unserved, err)
		}
	}
	unread := scenario.EachRequest(f.files, f.verb, o, func(r scenario.Request) error {
		checks.add(f, r)
		check(r)
		if checks.count > mostKept && !slices.Contains(f.files, "-") {
			list.kept = nil
		} else {
			list.kept = append(list.kept, r)
		}
		return nil
	}, check)
	warnPassedOver(stderr, passed, nil)
	if unread != nil {
		if checks.defines { // perhaps what is not there yet
			unserved = nil
		}
		return list, joinSorted(append(unserved, unread)...)
	}
	if checks.count == 0 {
		err := hinted(fmt.Errorf("there is no request in %s", strings.Join(f.files, ", ")), "a request is a manifest, an AdmissionReview or a document of kind Request")
		if len(f.files) == 1 && f.files[0] == "-" {
			err = hinted(errors.New("standard input is empty: there is no request in it"), "pipe a manifest into admsim, or name its file with -f")
		}
		return list, err
	}
	if list.kept == nil {
		list.again = func(take func(scenario.Request) error) error {
			return scenario.EachRequest(f.files, f.verb, again, take, nil)
		}
	}
	return list, f.complete(&list, checks, o, stderr)
}

// requestChecks collects conflicts between flags and requests.
type requestChecks struct {
	count   int
	reviews bool
	defines bool  // a request is about a CustomResourceDefinition
	first   error // the first conflict
}

func (c *requestChecks) add(f *requestFlags, r scenario.Request) {
	c.count++
	c.reviews = c.reviews || r.Review != nil
	c.defines = c.defines || r.Kind.Kind == "CustomResourceDefinition"
	if c.first == nil && r.Plain && f.namespace != "" && r.Namespace != "" && r.Namespace != f.namespace {
		c.first = hinted(fmt.Errorf("%s: the object is in namespace %q, and -n asks for %q", r.Source, r.Namespace, f.namespace), "drop -n")
	}
}

// besides adds errors in the files of requests to err, which says why w could not be loaded.
func (f *requestFlags) besides(err error, w *loaded, o scenario.Options) error {
	if len(f.files) == 0 {
		return err
	}
	_, unread := f.list(w, o, io.Discard)
	return joinSorted(err, unread)
}

// complete applies the flags to the requests, and reports flags that cannot be applied.
func (f *requestFlags) complete(list *requestList, checks requestChecks, o scenario.Options, stderr io.Writer) error {
	if f.namespace+f.as != "" && checks.reviews {
		fmt.Fprintln(stderr, "admsim: warning: an AdmissionReview names its own user and namespace: --as and -n are ignored for it")
	}
	if checks.first != nil || f.old == "" {
		return checks.first
	}
	found, err := scenario.Load([]string{f.old}, o)
	if err != nil {
		return err
	}
	if len(found) != 1 || checks.count != 1 {
		return hinted(fmt.Errorf("--old is about one object and one request; there are %d and %d", len(found), checks.count),
			"for several, write documents of kind Request with oldObject")
	}
	if verb := list.kept[0].Verb; verb != rest.Update && verb != rest.Patch && verb != rest.Delete {
		return hinted(fmt.Errorf("--old with a request to %s", verb), "an object to create has no old version; did you mean --verb update?")
	}
	list.kept = slices.Clone(list.kept)
	list.kept[0].OldObject = &found[0]
	return nil
}

// warnOfPods warns if no request shows pods to the webhooks and policies that judge pods, because workloads are not
// expanded.
func warnOfPods(asked workload.Unexpanded, expand bool, w *loaded, stderr io.Writer) {
	if expand {
		return
	}
	if text, hint := asked.Warning(w.Simulator().State()); text != "" {
		printWarning(stderr, text, hint)
	}
}
