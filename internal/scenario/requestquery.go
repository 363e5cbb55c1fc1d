package scenario

import (
	"maps"
	"net/url"
	"slices"

	"github.com/admsim/admsim/pkg/rest"
)

// readQuery reads what travels in the query of the URL, and for a deletion in its body.
func (r *requestReader) readQuery() {
	r.Query = url.Values{}
	query := r.value.at("query")
	if anyMapping(query) {
		for _, key := range slices.Sorted(maps.Keys(query.is.(map[string]any))) {
			one := query.key(key)
			if _, isList := one.is.([]any); isList {
				r.Query[key] = one.texts()
			} else {
				r.Query.Set(key, one.text())
			}
		}
	}
	set := func(key, text string) {
		if text != "" {
			r.Query.Set(key, text)
		}
	}
	set("fieldManager", r.value.at("fieldManager").text())
	set("fieldValidation", r.value.at("fieldValidation").oneOf("Ignore", "Warn", "Strict"))
	if r.value.at("dryRun").flag() {
		set("dryRun", "All")
	}
	r.readOptions(r.value.at("options"))
	if len(r.Query) == 0 {
		r.Query = nil
	}
}

func (r *requestReader) readOptions(v value) {
	if r.Verb == rest.Delete || r.Verb == rest.DeleteCollection {
		r.readDeleteOptions(v)
		return
	}
	known := []string{"apiVersion", "kind", "dryRun", "fieldManager", "fieldValidation"}
	if r.Verb == rest.Patch {
		known = append(known, "force")
	}
	if r.Verb == rest.Connect || r.Verb == rest.Get {
		r.refuse(v, "the options of a connection go under query")
		return
	}
	if !v.mapping(known...) {
		return
	}
	for _, all := range v.at("dryRun").texts() {
		r.Query.Add("dryRun", all)
	}
	for _, key := range []string{"fieldManager", "fieldValidation"} {
		if text := v.at(key).text(); text != "" {
			r.Query.Set(key, text)
		}
	}
	if force := v.at("force"); force.given() && force.flag() {
		r.Query.Set("force", "true")
	}
}

// readDeleteOptions makes options the body of a deletion. With a body the server does not
// look at the query any more (W-018).
func (r *requestReader) readDeleteOptions(v value) {
	if !v.mapping("apiVersion", "kind", "dryRun", "gracePeriodSeconds", "orphanDependents", "preconditions",
		"propagationPolicy", "ignoreStoreReadErrorWithClusterBreakingPotential") {
		return
	}
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions"}
	for key, x := range v.is.(map[string]any) {
		options[key] = x
	}
	if r.Query.Has("dryRun") && options["dryRun"] == nil {
		options["dryRun"] = r.Query["dryRun"]
	}
	r.Body = encode(options)
}
