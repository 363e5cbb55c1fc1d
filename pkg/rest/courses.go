package rest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/admsim/admsim/pkg/cluster"
)

// mostCourses is how many courses of one request are tried. Four things have 24 orders.
const mostCourses = 24

// onOtherCourses answers the request again on each other course that the server might have taken. It returns the
// answers that the server may give instead of first, and why this is not determined.
func (x *exchange) onOtherCourses(ctx context.Context, state *cluster.State, req Request, first Response, because []string) (why string, all []Response) {
	all = first.Alternatives
	var unknown error
	taken := 1
	next := x.course.Next(ctx)
	for ; next != nil && taken < mostCourses && ctx.Err() == nil; taken++ {
		other := newExchange(x.server, state, req)
		other.course = *next
		response, err := other.answer()
		next = other.course.Next(ctx)
		if err != nil {
			unknown = err
			continue
		}
		for _, possible := range append([]Response{response}, response.Alternatives...) {
			possible.Undetermined, possible.Alternatives = "", nil
			same := func(known Response) bool { return sameAnswer(known, possible) }
			if !same(first) && !slices.ContainsFunc(all, same) {
				all = append(all, possible)
			}
		}
	}
	if len(all) == len(first.Alternatives) && unknown == nil {
		return first.Undetermined, all
	}

	if first.Undetermined != "" {
		because = append(because, first.Undetermined)
	}
	if unknown != nil {
		because = append(because, "what follows from another order is not known: "+unknown.Error())
	}
	if next != nil {
		because = append(because, fmt.Sprintf("of all orders, %d were tried", taken))
	}
	return strings.Join(because, "; "), all
}

// sameAnswer reports whether the two answers look the same to a client.
func sameAnswer(a, b Response) bool {
	return a.Code == b.Code && a.Text == b.Text && slices.Equal(a.Warnings, b.Warnings) &&
		maps.Equal(a.AuditAnnotations, b.AuditAnnotations) && equality.Semantic.DeepEqual(a.Object, b.Object)
}
