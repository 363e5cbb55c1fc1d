package admission

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Each course is taken once, starting with the given order.
func TestCourses(t *testing.T) {
	walk := func(ctx context.Context) string {
		first := CourseOf(ctx).Order(3, "first")
		text := fmt.Sprint(first)
		if first[0] == 1 { // only this way has another fork
			text += fmt.Sprint(CourseOf(ctx).Order(2, "second"))
		}
		return text
	}
	var all []string
	for c := (&Course{Context: t.Context()}); c != nil; c = c.Next(t.Context()) {
		if c.IsOther() != (len(all) > 0) {
			t.Errorf("course %d: IsOther() = %t", len(all), c.IsOther())
		}
		all = append(all, walk(c))
	}
	want := []string{"[0 1 2]", "[0 2 1]", "[1 0 2][0 1]", "[1 0 2][1 0]", "[1 2 0][0 1]", "[1 2 0][1 0]", "[2 0 1]", "[2 1 0]"}
	if !slices.Equal(all, want) {
		t.Errorf("courses:\n%q, want\n%q", all, want)
	}
}

// Without a course, the order is the given one.
func TestOrderWithoutCourse(t *testing.T) {
	if got := CourseOf(t.Context()).Order(15, "many"); !slices.IsSorted(got) || len(got) != 15 {
		t.Errorf("order %v", got)
	}
	if CourseOf(t.Context()).IsOther() {
		t.Error("a context without a course counts as another course")
	}
}

// A course ends with the context in which it began.
func TestCourseEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	within, release := context.WithTimeout(&Course{Context: ctx}, time.Hour)
	defer release()
	cancel()
	<-within.Done()
	CourseOf(within).Order(2, "found through other contexts")
}
