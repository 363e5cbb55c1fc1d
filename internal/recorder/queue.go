package recorder

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Counts says how many reviews were recorded and how many were lost.
type Counts struct {
	Recorded uint64 `json:"recorded"`
	Shed     uint64 `json:"shed"`   // not recorded, because too many were waiting or a body was too large
	Failed   uint64 `json:"failed"` // not recorded, because they could not be written
}

// maxWaiting is how many exchanges may wait, however small they are.
const maxWaiting = 1 << 14

// How often the recorder warns that it is behind, and how long a line may wait to be flushed while more lines arrive.
const (
	warnEvery  = 10 * time.Second
	flushAfter = 100 * time.Millisecond
)

// A queue holds exchanges until they are written. Offering one never blocks.
type queue struct {
	options Options
	bytes   atomic.Int64
	running sync.WaitGroup

	// Exchanges are encoded concurrently, and written in the order in which they were offered: each is sent to both
	// channels.
	offering sync.Mutex
	encoding chan *job
	writing  chan *job

	recorded, shed, failed atomic.Uint64
	warned                 atomic.Int64 // when, in nanoseconds

	// Used by the writing goroutine only.
	log     *Log
	flushed time.Time
	err     error // the first error; nothing is written after it
}

// A job is an exchange on its way to the log.
type job struct {
	exchange *exchange
	size     int64
	ready    chan struct{} // closed when line or err is set
	line     []byte
	err      error
}

func newQueue(l *Log, o Options) *queue {
	q := &queue{
		options:  o,
		log:      l,
		encoding: make(chan *job, maxWaiting),
		writing:  make(chan *job, maxWaiting),
	}
	for range runtime.GOMAXPROCS(0) {
		q.running.Go(q.encode)
	}
	q.running.Go(q.write)
	return q
}

// offer queues e if there is room.
func (q *queue) offer(e *exchange) {
	if e.large {
		q.drop(fmt.Sprintf("a body is larger than %d MiB", maxBody>>20))
		return
	}
	if e.crowded {
		q.drop(errCrowded.Error())
		return
	}
	size := e.size()
	if q.bytes.Add(size) > q.options.Buffer {
		q.bytes.Add(-size)
		q.drop("recording is behind")
		return
	}
	if !q.enter(&job{exchange: e, size: size, ready: make(chan struct{})}) {
		q.bytes.Add(-size)
		q.drop("recording is behind")
	}
}

// enter sends j to both channels. Nothing else sends to them, so if writing has room, encoding has room too: it is
// emptied first.
func (q *queue) enter(j *job) bool {
	q.offering.Lock()
	defer q.offering.Unlock()
	select {
	case q.writing <- j:
		q.encoding <- j
		return true
	default:
		return false
	}
}

func (q *queue) drop(why string) {
	shed := q.shed.Add(1)
	now := time.Now().UnixNano()
	if last := q.warned.Load(); now-last > int64(warnEvery) && q.warned.CompareAndSwap(last, now) {
		q.options.Warn(fmt.Sprintf("%s: %d reviews were answered and not recorded so far", why, shed))
	}
}

func (q *queue) encode() {
	for j := range q.encoding {
		j.line, j.err = j.exchange.line(q.options.Redactor, q.options.ConfigDigest)
		j.exchange = nil
		close(j.ready)
	}
}

func (q *queue) write() {
	for j := range q.writing {
		<-j.ready
		q.record(j)
		q.bytes.Add(-j.size)
	}
}

// record writes one line.
func (q *queue) record(j *job) {
	switch {
	case errors.Is(j.err, errNoReview):
		return
	case j.err != nil:
		q.failed.Add(1)
		q.options.Warn("a review is not recorded: " + j.err.Error())
		return
	case q.err == nil:
		if q.err = q.append(j.line); q.err != nil {
			q.options.Warn("nothing is recorded any more, but calls are still answered: " + q.err.Error())
		}
	}
	if q.err != nil {
		q.failed.Add(1)
		return
	}
	q.recorded.Add(1)
}

// append writes a line, and flushes it unless the next one is already waiting.
func (q *queue) append(line []byte) error {
	if err := q.log.Write(line); err != nil {
		return err
	}
	if now := time.Now(); len(q.writing) == 0 || now.Sub(q.flushed) > flushAfter {
		q.flushed = now
		return q.log.Flush()
	}
	return nil
}

func (q *queue) counts() Counts {
	return Counts{Recorded: q.recorded.Load(), Shed: q.shed.Load(), Failed: q.failed.Load()}
}

// close writes the waiting exchanges and a last line. Nothing may be offered afterwards.
func (q *queue) close() (Counts, error) {
	close(q.encoding)
	close(q.writing)
	q.running.Wait()
	counts := q.counts()
	if q.err == nil {
		text, err := encode(lastLine{V: version, Time: time.Now().UTC(), End: counts})
		if err == nil {
			err = q.log.Write(text)
		}
		q.err = err
	}
	if err := errors.Join(q.err, q.log.Close()); err != nil {
		return counts, fmt.Errorf("writing the recording: %w", err)
	}
	return counts, nil
}
