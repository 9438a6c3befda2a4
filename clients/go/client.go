package payqueued

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Options of a client.
type Options struct {
	// Socket is the daemon's socket; SocketPath says which one is used if it is empty.
	Socket string
	// Name names the connections in the daemon's `status` and log; `go` if it is empty.
	Name string
	// Timeout is how long to wait for an ordinary answer; 30 s if it is 0.
	Timeout time.Duration
}

// Client is a client for one goroutine or many. Calls share one connection, which is made at the first
// call and again after it broke. Calls that may be repeated safely are repeated then. Subscriptions
// have connections of their own, so that a slow reader holds nothing up.
type Client struct {
	path    string
	name    string
	timeout time.Duration

	mutex         sync.Mutex
	link          *link
	lastID        int64
	subscriptions map[*Subscription]struct{}
	isClosed      bool
	closed        chan struct{}
}

// New makes a client; nothing is sent yet.
func New(options Options) *Client {
	client := &Client{
		path: SocketPath(options.Socket), name: options.Name, timeout: options.Timeout,
		subscriptions: map[*Subscription]struct{}{}, closed: make(chan struct{}),
	}
	if client.name == "" {
		client.name = "go"
	}
	if client.timeout == 0 {
		client.timeout = 30 * time.Second
	}
	return client
}

// SocketPath is the socket to use: the one named, $PAYQUEUED_SOCKET, the user's own, the system's.
func SocketPath(named string) string {
	if named != "" {
		return named
	}
	if path := os.Getenv("PAYQUEUED_SOCKET"); path != "" {
		return path
	}
	if folder := os.Getenv("XDG_RUNTIME_DIR"); folder != "" {
		own := filepath.Join(folder, "payqueued", "payqueued.sock")
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return "/run/payqueued/payqueued.sock"
}

// Some is a pointer to a value, for optional members.
func Some[T any](value T) *T { return &value }

// Close ends the connection and all subscriptions. Calls under way, and later ones, return ErrClosed.
func (c *Client) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isClosed {
		return
	}
	c.isClosed = true
	close(c.closed)
	if c.link != nil {
		c.link.wire.close()
	}
	for subscription := range c.subscriptions {
		subscription.end()
	}
}

// Call calls any method by its name, also one that this package does not know; once only. The result is
// unmarshalled into `result` unless that is nil.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	raw, err := invoke[json.RawMessage](ctx, c, call{method, false, 0}, params)
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(*raw, result)
}

// call is how a method is carried out.
type call struct {
	method       string
	isRepeatable bool
	// patience is how many seconds an answer may take beyond the usual.
	patience int
}

// invoke carries a call out.
func invoke[Result any](ctx context.Context, c *Client, how call, params any) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout+time.Duration(how.patience)*time.Second)
	defer cancel()
	pause, wasSent := 50*time.Millisecond, false
	for {
		raw, err := c.try(ctx, how, params, &wasSent)
		if err == nil {
			var result Result
			if err := json.Unmarshal(raw, &result); err != nil {
				return nil, fmt.Errorf("%w: the answer to '%s': %v", ErrNotUnderstood, how.method, err)
			}
			return &result, nil
		}
		// A daemon that was never there is reported at once; one that goes away in the middle of a
		// call is probably being restarted.
		if !isBroken(err) || !wasSent || !how.isRepeatable {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		case <-c.closed:
			return nil, ErrClosed
		}
		if pause *= 2; pause > 2*time.Second {
			pause = 2 * time.Second
		}
	}
}

func (c *Client) try(ctx context.Context, how call, params any, wasSent *bool) (json.RawMessage, error) {
	link, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	*wasSent = true
	c.mutex.Lock()
	c.lastID++
	id := c.lastID
	c.mutex.Unlock()
	found, err := link.exchange(ctx, how, params, id)
	if errors.Is(err, ErrConnectionLost) && c.over() {
		return nil, ErrClosed
	}
	if err != nil {
		return nil, err
	}
	if found.Error != nil {
		return nil, readError(how.method, found.Error)
	}
	return found.Result, nil
}

func (c *Client) over() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.isClosed
}

func (c *Client) connected(ctx context.Context) (*link, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isClosed {
		return nil, ErrClosed
	}
	if c.link != nil && !c.link.isOver() {
		return c.link, nil
	}
	wire, err := dial(ctx, c.path)
	if err != nil {
		return nil, err
	}
	if err := greet(wire, c.name, c.timeout); err != nil {
		return nil, err
	}
	c.link = &link{wire: wire, waiting: map[int64]chan message{}, ended: make(chan struct{})}
	go c.link.read()
	return c.link, nil
}

// greet names a connection; no answer is wanted.
func greet(wire *wire, name string, timeout time.Duration) error {
	who := HelloParams{Client: &HelloClient{Name: name, Version: Version}}
	return wire.send("hello", who, 0, time.Now().Add(timeout))
}

// link is the connection of calls: each answer goes to who waits for it.
type link struct {
	wire    *wire
	mutex   sync.Mutex
	waiting map[int64]chan message
	failure error
	ended   chan struct{}
}

func (l *link) isOver() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

func (l *link) read() {
	defer close(l.ended)
	defer l.wire.close()
	for {
		found, err := l.wire.receive(context.Background())
		if err != nil {
			l.failure = err
			return
		}
		if found.isNotification() {
			continue
		}
		if string(found.ID) == "null" && found.Error != nil {
			l.failure = readError("the connection", found.Error)
			return
		}
		id, _ := strconv.ParseInt(string(found.ID), 10, 64)
		l.mutex.Lock()
		answer := l.waiting[id]
		delete(l.waiting, id)
		l.mutex.Unlock()
		if answer != nil {
			answer <- found
		}
	}
}

func (l *link) exchange(ctx context.Context, how call, params any, id int64) (message, error) {
	answer := make(chan message, 1)
	l.mutex.Lock()
	l.waiting[id] = answer
	l.mutex.Unlock()
	defer func() {
		l.mutex.Lock()
		delete(l.waiting, id)
		l.mutex.Unlock()
	}()
	deadline, _ := ctx.Deadline()
	if err := l.wire.send(how.method, params, id, deadline); err != nil {
		return message{}, err
	}
	select {
	case found := <-answer:
		return found, nil
	case <-l.ended:
		select {
		case found := <-answer:
			return found, nil
		default:
			return message{}, l.failure
		}
	case <-ctx.Done():
		if how.patience > 0 {
			// The daemon need not go on waiting.
			_ = l.wire.send("cancel", CancelParams{ID: id}, 0, time.Now().Add(time.Second))
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return message{}, fmt.Errorf("no answer to '%s' came (%w)", how.method, ErrTimedOut)
		}
		return message{}, ctx.Err()
	}
}
