package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/words"
)

// filterFlags are the flags that choose which requests of a recording are run.
type filterFlags struct {
	since, until string
	namespaces   []string
	resources    []string
	users        []string
	webhooks     []string
	sample       float64
	limit        int
	shard        string
}

func (f *filterFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.since, "since", "", "only requests since this `TIME`, such as 2026-11-21T07:00:00Z, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only requests before this `TIME`")
	flags.StringSliceVarP(&f.namespaces, "namespace", "n", nil, "only requests in these `NAMESPACES`; * matches any characters")
	flags.StringSliceVar(&f.resources, "resource", nil, "only requests for these `RESOURCES`, such as pods, deployments.apps, pods/exec")
	flags.StringSliceVar(&f.users, "user", nil, "only requests of these `USERS`")
	flags.StringSliceVar(&f.webhooks, "webhook", nil, "only requests that are known to have called one of these `WEBHOOKS`: name, or configuration/name")
	part(flags, &f.sample, "sample", 1, "a fraction", "only this `FRACTION` of the requests, the same ones every time")
	whole(flags, &f.limit, "limit", "", 0, 0, "only this many requests, the first ones that can be run")
	flags.StringVar(&f.shard, "shard", "", "only part `I/N` of the requests, with I from 0; admsim report merge joins the parts")
}

func (f *filterFlags) filter(now time.Time) (filter recording.Filter, err error) {
	filter = recording.Filter{Namespaces: f.namespaces, Resources: f.resources, Users: f.users, Webhooks: f.webhooks, Sample: f.sample, Limit: f.limit}
	if filter.Since, err = moment("--since", f.since, now); err != nil {
		return filter, err
	}
	if filter.Until, err = moment("--until", f.until, now); err != nil {
		return filter, err
	}
	if f.shard != "" {
		if filter.Shard, err = recording.ParseShard(f.shard); err != nil {
			return filter, fmt.Errorf("--shard: %w", err)
		}
	}
	return filter, filter.Validate()
}

// printUnmatched warns about values of flags that match no request.
func printUnmatched(stderr io.Writer, all []recording.Unmatched) {
	for _, u := range all {
		hint := ""
		switch {
		case u.Nearest != "":
			hint = fmt.Sprintf("did you mean %q?", u.Nearest)
		case len(u.Known) == 1:
			hint = "there is only " + u.Known[0]
		case len(u.Known) > 1:
			hint = "there are " + words.Few(u.Known)
		case u.What == "webhook":
			hint = "the recording names no webhook: audit events only name mutating webhooks, and webhooks that deny or fail"
		}
		printWarning(stderr, fmt.Sprintf("--%s %s fits no request", u.What, u.Pattern), hint)
	}
}

func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, badValue(flag, text, "a time such as 2026-11-21T07:00:00Z, or how long ago, such as 90m")
	}
	return at, nil
}
