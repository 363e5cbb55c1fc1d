package latency

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/splitmix"
)

// A Distribution says how long a webhook takes to answer. Between the known quantiles, the logarithm of the latency is
// linear in the quantile of the normal distribution: with two of them, the distribution is log-normal, as latencies
// mostly are. Beyond the outermost quantiles it continues as between the last two.
type Distribution struct {
	points  []quantile // by probability
	from    []float64  // observed, sorted; instead of points
	failing float64    // fraction of the calls that fail at once
}

type quantile struct{ z, log float64 }

// ParseDistribution parses p50:10ms,p99:200ms. In it, max:1s is the maximum, and fail:0.1% the fraction of calls that
// fail. A single duration is a constant latency.
func ParseDistribution(text string) (d Distribution, err error) {
	top := math.Inf(1)
	for _, part := range strings.Split(text, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(part), ":")
		if !found {
			key, value = "p50", key
		}
		if key == "fail" {
			percent, isPercent := strings.CutSuffix(value, "%")
			if d.failing, err = strconv.ParseFloat(percent, 64); err == nil && isPercent {
				d.failing /= 100
			}
			if err != nil || d.failing < 0 || d.failing > 1 {
				return d, fmt.Errorf("%s: want a fraction, such as fail:0.1%%", part)
			}
			continue
		}
		latency, err := time.ParseDuration(value)
		if err != nil || latency <= 0 {
			return d, fmt.Errorf("%s: want a duration, such as p50:10ms", part)
		}
		if key == "max" {
			top = math.Log(latency.Seconds())
			continue
		}
		p, err := strconv.ParseFloat(strings.TrimPrefix(key, "p"), 64)
		if err != nil || !strings.HasPrefix(key, "p") || p <= 0 || p >= 100 {
			return d, fmt.Errorf("%s: want a percentile between p0 and p100, such as p99:200ms; max: or fail:", part)
		}
		d.points = append(d.points, quantile{normal(p / 100), math.Log(latency.Seconds())})
	}
	slices.SortFunc(d.points, func(a, b quantile) int { return int(math.Copysign(1, a.z-b.z)) })
	for i := 1; i < len(d.points); i++ {
		if d.points[i].z == d.points[i-1].z || d.points[i].log < d.points[i-1].log {
			return d, fmt.Errorf("%s: a higher percentile has a lower latency", text)
		}
	}
	if len(d.points) == 0 {
		return d, fmt.Errorf("%s: want at least one percentile, such as p50:10ms", text)
	}
	if !math.IsInf(top, 1) {
		d.points = append(d.points, quantile{math.Inf(1), top})
	}
	return d, nil
}

// observed returns the distribution of observed latencies.
func observed(latencies []time.Duration) Distribution {
	var d Distribution
	for _, l := range latencies {
		d.from = append(d.from, l.Seconds())
	}
	slices.Sort(d.from)
	return d
}

// normal returns a quantile of the normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// at returns the latency that a fraction p of the answers do not exceed.
func (d Distribution) at(p float64) time.Duration {
	if len(d.from) > 0 {
		return seconds(d.from[min(int(p*float64(len(d.from))), len(d.from)-1)])
	}
	points, top := d.points, math.Inf(1)
	if last := points[len(points)-1]; math.IsInf(last.z, 1) {
		points, top = points[:len(points)-1], last.log
	}
	switch {
	case len(points) == 0:
		return seconds(math.Exp(top))
	case len(points) == 1:
		return seconds(math.Exp(min(points[0].log, top)))
	}
	z := normal(min(max(p, 1e-9), 1-1e-9))
	i := 1
	for i < len(points)-1 && points[i].z < z {
		i++
	}
	a, b := points[i-1], points[i]
	return seconds(math.Exp(min(a.log+(z-a.z)*(b.log-a.log)/(b.z-a.z), top)))
}

// draw returns the latency of a call, or that the call fails.
func (d Distribution) draw(from *splitmix.Source) (latency time.Duration, fails bool) {
	if from.Float64() < d.failing {
		return 0, true
	}
	return d.at(from.Float64()), false
}

// isRandom reports whether not all calls take equally long.
func (d Distribution) isRandom() bool {
	if n := len(d.from); n > 0 {
		return d.from[0] != d.from[n-1]
	}
	return d.failing > 0 || len(d.points) > 1
}

func seconds(s float64) time.Duration {
	if s > 1e6 {
		s = 1e6 // longer than any client waits
	}
	return time.Duration(s * float64(time.Second))
}
