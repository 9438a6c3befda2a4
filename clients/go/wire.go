package payqueued

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// lineLimit: the daemon pages what would be longer than 4 MiB.
const lineLimit = 16 << 20

// message is a line of the daemon: a reply if it has an id, else a notification.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m message) isNotification() bool { return m.ID == nil && m.Method != "" }

func (m message) isReply() bool { return m.ID != nil && (m.Result != nil || m.Error != nil) }

// wire is one connection: lines out, lines in. One goroutine reads, any may write.
type wire struct {
	path    string
	conn    net.Conn
	reader  *bufio.Reader
	partial []byte
	writing sync.Mutex
}

func dial(ctx context.Context, path string) (*wire, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		if ctx.Err() == context.Canceled {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("cannot connect to '%s': %s (%w)", path, reason(err), ErrNotConnected)
	}
	return &wire{path: path, conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// reason says in words why the system refused a connection.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOENT):
		return "there is no such file"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "no program listens there; a daemon that ended may have left the file behind"
	case errors.Is(err, syscall.EACCES):
		return "permission denied; this user may not use the socket"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "it did not accept in time"
	}
	return err.Error()
}

// send writes a request; one with the id 0 has no id and is not answered.
func (w *wire) send(method string, params any, id int64, deadline time.Time) error {
	request := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != 0 {
		request["id"] = id
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line) // ends the line
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(request); err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	_ = w.conn.SetWriteDeadline(deadline)
	if _, err := w.conn.Write(line.Bytes()); err != nil {
		w.close() // half a line may be out
		return w.lost()
	}
	return nil
}

// receive waits for the next line. A context that ends loses nothing of what was read.
func (w *wire) receive(ctx context.Context) (message, error) {
	if ctx.Done() != nil {
		stop := w.interruptAtEnd(ctx)
		defer stop()
	}
	for {
		part, err := w.reader.ReadSlice('\n')
		w.partial = append(w.partial, part...)
		switch {
		case err == nil:
			line := w.partial
			w.partial = nil
			return parse(line)
		case len(w.partial) > lineLimit:
			return message{}, fmt.Errorf("%w: a line of more than %d bytes", ErrNotUnderstood, lineLimit)
		case errors.Is(err, bufio.ErrBufferFull):
		case ctx.Err() != nil:
			return message{}, ctx.Err()
		default:
			return message{}, w.lost()
		}
	}
}

// interruptAtEnd lets a read end with the context; what it returns undoes that.
func (w *wire) interruptAtEnd(ctx context.Context) func() {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			_ = w.conn.SetReadDeadline(time.Unix(1, 0))
		case <-quit:
		}
	}()
	return func() {
		close(quit)
		<-ended
		_ = w.conn.SetReadDeadline(time.Time{})
	}
}

func parse(line []byte) (message, error) {
	var found message
	if err := json.Unmarshal(line, &found); err != nil {
		return message{}, fmt.Errorf("%w: a line that is not JSON", ErrNotUnderstood)
	}
	if !found.isNotification() && !found.isReply() {
		return message{}, fmt.Errorf(
			"%w: a line that is neither an answer nor a notification", ErrNotUnderstood)
	}
	return found, nil
}

func (w *wire) lost() error {
	return fmt.Errorf("the connection to '%s' ended before the answer came (%w)", w.path, ErrConnectionLost)
}

func (w *wire) close() { _ = w.conn.Close() }
