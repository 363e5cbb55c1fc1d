package scenario

import (
	"maps"
	"net/url"
	"slices"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/rest"
)

// readQuery reads what a request has in the query of its URL, or for a deletion in its body.
func (r *requestReader) readQuery() {
	r.Query = url.Values{}
	query := r.Value.At("query")
	if manifest.AnyMapping(query) {
		for _, key := range slices.Sorted(maps.Keys(query.Is.(map[string]any))) {
			one := query.Key(key)
			if _, isList := one.Is.([]any); isList {
				for _, item := range one.List() {
					r.Query.Add(key, item.Scalar())
				}
			} else {
				r.Query.Set(key, one.Scalar())
			}
		}
	}
	set := func(key, text string) {
		if text != "" {
			r.Query.Set(key, text)
		}
	}
	set("fieldManager", r.Value.At("fieldManager").Text())
	set("fieldValidation", r.Value.At("fieldValidation").OneOf("Ignore", "Warn", "Strict"))
	if r.Value.At("dryRun").Flag() {
		set("dryRun", "All")
	}
	r.readOptions(r.Value.At("options"))
	if len(r.Query) == 0 {
		r.Query = nil
	}
}

func (r *requestReader) readOptions(v manifest.Value) {
	if r.Verb == rest.Delete || r.Verb == rest.DeleteCollection {
		r.readDeleteOptions(v)
		return
	}
	known := []string{"apiVersion", "kind", "dryRun", "fieldManager", "fieldValidation"}
	if r.Verb == rest.Patch || r.Verb == Apply {
		known = append(known, "force")
	}
	if r.Verb == rest.Connect || r.Verb == rest.Get {
		r.refuse(v, "the options of a connection go under query")
		return
	}
	if !v.Mapping(known...) {
		return
	}
	for _, all := range v.At("dryRun").Texts() {
		r.Query.Add("dryRun", all)
	}
	for _, key := range []string{"fieldManager", "fieldValidation"} {
		if text := v.At(key).Text(); text != "" {
			r.Query.Set(key, text)
		}
	}
	if force := v.At("force"); force.Given() && force.Flag() {
		r.Query.Set("force", "true")
	}
}

// readDeleteOptions makes options the body of a deletion. If there is a body, the server ignores the query (W-018).
func (r *requestReader) readDeleteOptions(v manifest.Value) {
	if !v.Mapping("apiVersion", "kind", "dryRun", "gracePeriodSeconds", "orphanDependents", "preconditions",
		"propagationPolicy", "ignoreStoreReadErrorWithClusterBreakingPotential") {
		return
	}
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions"}
	for key, x := range v.Is.(map[string]any) {
		options[key] = x
	}
	if r.Query.Has("dryRun") && options["dryRun"] == nil {
		options["dryRun"] = r.Query["dryRun"]
	}
	r.Body = manifest.Encode(options)
}
