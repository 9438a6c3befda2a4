package payqueued

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// longestPause is how long a subscription waits before it connects again, at most.
const longestPause = 5 * time.Second

// Subscription brings the daemon's notifications, over restarts of the daemon and, with a cursor, of the
// program. It is read as fast as Next is called: the daemon keeps the rest in its log. When the
// connection breaks it connects again and continues after the last notification that was handled; when
// that place is no longer in the log it brings everything that is unfinished, behind a `gap`. `opened`
// marks each new beginning. One goroutine at a time may call Next.
type Subscription struct {
	client *Client
	wanted SubscribeParams
	cursor *CursorFile
	taken  *Notification
	ready  []Notification

	mutex     sync.Mutex
	wire      *wire
	isOpen    bool
	hasOpened bool
	isClosed  bool
	closed    chan struct{}
}

// Subscribe makes a subscription; it is subscribed at Open or at the first Next. It begins behind
// `wanted.After`, else at the stored cursor, else with what is unfinished. The cursor may be nil.
func (c *Client) Subscribe(wanted SubscribeParams, cursor *CursorFile) *Subscription {
	subscription := &Subscription{
		client: c, wanted: wanted, cursor: cursor, closed: make(chan struct{}),
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isClosed {
		subscription.end()
	} else {
		c.subscriptions[subscription] = struct{}{}
	}
	return subscription
}

// Open subscribes now instead of at the first Next.
func (s *Subscription) Open(ctx context.Context) error {
	if s.wire != nil && s.isOpen {
		return nil
	}
	return s.subscribe(ctx)
}

// Close ends the subscription. The last notification counts as handled only if Next was called after it.
func (s *Subscription) Close() {
	s.client.mutex.Lock()
	delete(s.client.subscriptions, s)
	s.client.mutex.Unlock()
	s.end()
}

func (s *Subscription) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.isClosed {
		s.isClosed = true
		close(s.closed)
	}
	if s.wire != nil {
		s.wire.close()
	}
}

func (s *Subscription) over() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.isClosed
}

// Next waits for the next notification. The one before counts as handled with this call. It returns
// ErrClosed after the end, and what the context says when that ended first; nothing is lost then.
func (s *Subscription) Next(ctx context.Context) (Notification, error) {
	if err := s.commit(); err != nil {
		return Notification{}, err
	}
	pause := 50 * time.Millisecond
	for {
		if s.over() {
			return Notification{}, ErrClosed
		}
		if len(s.ready) > 0 {
			first := s.ready[0]
			s.ready = s.ready[1:]
			return first, nil
		}
		found, err := s.step(ctx)
		switch {
		case err == nil && found == nil:
		case err == nil:
			s.taken = found
			return *found, nil
		case ctx.Err() != nil:
			return Notification{}, ctx.Err()
		default:
			s.drop()
			if s.over() {
				continue
			}
			if !s.isPassing(err) {
				return Notification{}, err
			}
			if err := s.rest(ctx, pause, err); err != nil {
				return Notification{}, err
			}
			if pause *= 2; pause > longestPause {
				pause = longestPause
			}
		}
	}
}

// step subscribes, or takes a line; nil if that was no notification.
func (s *Subscription) step(ctx context.Context) (*Notification, error) {
	if s.wire == nil || !s.isOpen {
		return nil, s.subscribe(ctx)
	}
	line, err := s.wire.receive(ctx)
	if err != nil || !line.isNotification() {
		return nil, err
	}
	found, err := readNotification(line.Method, line.Params)
	if err != nil {
		return nil, fmt.Errorf("%w: '%s': %v", ErrNotUnderstood, line.Method, err)
	}
	if found.Ended != nil {
		// The place was overtaken by trimming, or a role was withdrawn: begin anew, or learn the
		// reason from the refusal.
		s.drop()
	}
	return &found, nil
}

// isPassing says whether another try may go well. What fails before the first beginning is returned.
func (s *Subscription) isPassing(err error) bool {
	var refused *ServerError
	if errors.As(err, &refused) {
		return s.hasOpened && refused.Retry == "later"
	}
	if errors.Is(err, ErrNotConnected) || errors.Is(err, ErrTimedOut) {
		return s.hasOpened
	}
	return errors.Is(err, ErrConnectionLost)
}

func (s *Subscription) rest(ctx context.Context, pause time.Duration, err error) error {
	var refused *ServerError
	if errors.As(err, &refused) && refused.RetryAfter > pause {
		pause = refused.RetryAfter
	}
	select {
	case <-time.After(pause):
		return nil
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commit moves the place behind the notification that was handled.
func (s *Subscription) commit() error {
	taken := s.taken
	s.taken = nil
	if taken == nil {
		return nil
	}
	var seq int64
	switch {
	case taken.Event != nil:
		seq = taken.Event.Seq
	case taken.CaughtUp != nil:
		seq = taken.CaughtUp.Seq
	case taken.Heartbeat != nil:
		seq = taken.Heartbeat.Seq
	default:
		return nil
	}
	s.wanted.After = seq
	if s.cursor == nil || s.wanted.Epoch == "" {
		return nil
	}
	return s.cursor.Store(s.wanted.Epoch, seq)
}

func (s *Subscription) drop() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isOpen = false
	if s.wire != nil {
		s.wire.close()
		s.wire = nil
	}
}

func (s *Subscription) subscribe(ctx context.Context) error {
	if s.cursor != nil && s.wanted.After == nil {
		epoch, seq, err := s.cursor.Load()
		if err != nil {
			return err
		}
		if epoch != "" {
			s.wanted.Epoch, s.wanted.After = epoch, seq
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.client.timeout)
	defer cancel()
	wire, err := dial(ctx, s.client.path)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	s.wire = wire
	if s.isClosed {
		wire.close()
	}
	s.mutex.Unlock()
	if err := s.begin(ctx, wire); err != nil {
		s.drop()
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("no answer to 'subscribe' came (%w)", ErrTimedOut)
		}
		return err
	}
	return nil
}

func (s *Subscription) begin(ctx context.Context, wire *wire) error {
	if err := greet(wire, s.client.name, s.client.timeout); err != nil {
		return err
	}
	opened, err := s.ask(ctx, wire, s.wanted)
	var gap *Notification
	var refused *ServerError
	if errors.As(err, &refused) && isUnusable(refused) && s.wanted.After != nil &&
		(s.hasOpened || s.cursor != nil) {
		// The old place is of another log; in this one it would skip what was never seen.
		s.wanted.After, s.wanted.Epoch = nil, ""
		gap = &Notification{
			Method: "gap", Gap: &GapNotice{Reason: GapReason(refused.Kind)},
		}
		opened, err = s.ask(ctx, wire, s.wanted)
	}
	if err != nil {
		return err
	}
	s.wanted.Epoch = opened.Epoch
	s.ready = append(s.ready, Notification{Method: "opened", Opened: opened})
	if gap != nil {
		s.ready = append(s.ready, *gap)
	}
	s.isOpen, s.hasOpened = true, true
	return nil
}

func isUnusable(err *ServerError) bool { return err.Code >= 1301 && err.Code <= 1303 }

func (s *Subscription) ask(
	ctx context.Context, wire *wire, wanted SubscribeParams,
) (*SubscribeResult, error) {
	if _, isText := wanted.After.(string); isText || wanted.After == nil {
		wanted.Epoch = "" // an epoch goes with a number only
	}
	deadline, _ := ctx.Deadline()
	if err := wire.send("subscribe", wanted, 1, deadline); err != nil {
		return nil, err
	}
	for {
		found, err := wire.receive(ctx)
		if err != nil {
			return nil, err
		}
		if found.Error != nil {
			return nil, readError("subscribe", found.Error)
		}
		if found.isReply() {
			var opened SubscribeResult
			return &opened, json.Unmarshal(found.Result, &opened)
		}
	}
}
