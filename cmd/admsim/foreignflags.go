package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/scenario"
)

// hintForForeign says what to write instead of a flag that a command does not have, but kubectl, kube-apiserver or
// another tool. It returns "" if nothing is known about the flag.
func hintForForeign(c *cobra.Command, flag string) string {
	if ours, known := renamed[flag]; known && c.Flags().Lookup(ours.flag) != nil {
		return ours.hint
	}
	if c.Name() == "explain" && (flag == "A" || flag == "all-namespaces") {
		return "a request is in one namespace, which -n names; with --all, explain is about the requests of all namespaces"
	}
	return strings.ReplaceAll(instead[flag][c.Annotations[takes]], "COMMAND", c.CommandPath())
}

// renamed has the flags of ours that do the same.
var renamed = map[string]struct{ flag, hint string }{
	"user":         {"as", "--as names the user of the requests"},
	"validate":     {"field-validation", "--field-validation Strict, Warn or Ignore says what happens to unknown fields; kubectl's --validate=false is Ignore"},
	"version":      {"kubernetes-version", "--kubernetes-version names the release to simulate"},
	"server-side":  {"verb", "--verb apply sends a manifest as kubectl apply --server-side does; in a file of requests, write {apiVersion: " + scenario.APIVersion + ", kind: Request, verb: apply, object: FILE}"},
	"port":         listens,
	"secure-port":  listens,
	"bind-address": listens,
}

var listens = struct{ flag, hint string }{"listen", "--listen 127.0.0.1:6443 has the address and the port"}

// takes is the annotation of a command that says what it reads.
const takes = "admsim.takes"

// What commands read, besides the cluster of -C.
const (
	requestFiles = "requests" // with -f
	corpora      = "corpora"  // requests as arguments
	twoWorlds    = "worlds"   // two of them, and requests as arguments
	recordings   = "recordings"
	manifests    = "manifests"
	suites       = "suites"
)

// taking returns the annotations of a command.
func taking(what string) map[string]string { return map[string]string{takes: what} }

// instead has hints for flags, by what a command reads.
var instead = map[string]map[string]string{
	"k":               kustomizations,
	"kustomize":       kustomizations,
	"A":               allNamespaces,
	"all-namespaces":  allNamespaces,
	"l":               selected,
	"selector":        selected,
	"f":               arguments,
	"filename":        arguments,
	"R":               always(readsFolders),
	"recursive":       always(readsFolders),
	"server-side":     always(requestFields),
	"force-conflicts": always("it is the option force of server-side apply: " + forceConflicts),
	"C":               {suites: "a suite names its world itself, under world: see docs/suite.md"},
}

const (
	forceConflicts = "{apiVersion: " + scenario.APIVersion + ", kind: Request, verb: apply, options: {force: true}, object: FILE}"
	buildsCluster  = "-C takes the folder of a kustomization, and builds it"
	noNamespaces   = "manifests of all namespaces are read; there is no flag for it"
	noSelectors    = "all manifests are read; to choose objects, let kubectl write a file: kubectl get KIND -l SELECTOR -o yaml"
	readsFolders   = "folders are read with the folders in them; there is no flag for it"
	requestFields  = "it is part of a request: {apiVersion: " + scenario.APIVersion + ", kind: Request, verb: apply, object: FILE}"
)

// always returns the same hint for all commands.
func always(hint string) map[string]string {
	return map[string]string{requestFiles: hint, corpora: hint, twoWorlds: hint, recordings: hint, manifests: hint, suites: hint}
}

var (
	kustomizations = map[string]string{
		requestFiles: "-C and -f take the folder of a kustomization, and build it",
		corpora:      buildsCluster,
		twoWorlds:    buildsCluster,
		recordings:   buildsCluster,
		manifests:    "COMMAND takes the folder of a kustomization as an argument, and builds it",
	}
	allNamespaces = map[string]string{
		requestFiles: "the objects of a cluster are read from kubectl: kubectl get KIND -A -o yaml | COMMAND -f -",
		corpora:      noNamespaces,
		twoWorlds:    noNamespaces,
		recordings:   "without -n, the requests of all namespaces are taken",
		manifests:    noNamespaces,
		suites:       noNamespaces,
	}
	selected = map[string]string{
		requestFiles: "kubectl selects objects: kubectl get KIND -l SELECTOR -o yaml | COMMAND -f -",
		corpora:      noSelectors,
		twoWorlds:    noSelectors,
		recordings:   "-n, --resource, --user and --webhook choose among requests",
		manifests:    noSelectors,
		suites:       "--run chooses among cases",
	}
	arguments = map[string]string{
		corpora:    "files are arguments: COMMAND -C world/ requests.yaml",
		twoWorlds:  "requests are arguments: COMMAND --base old/ --head new/ requests.yaml",
		recordings: "recordings are arguments: COMMAND audit.log",
		manifests:  "manifests are arguments: COMMAND world/",
		suites:     "suites are arguments: COMMAND tests/",
	}
)
