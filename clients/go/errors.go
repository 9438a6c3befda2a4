package payqueued

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Errors besides a ServerError; compare with errors.Is.
var (
	// ErrNotConnected: nothing answered at the socket; nothing was sent.
	ErrNotConnected = errors.New("not connected")
	// ErrConnectionLost: the connection ended before the answer came. Whether the call had an effect
	// is not known; repeat it with the same key.
	ErrConnectionLost = errors.New("connection lost")
	// ErrTimedOut: the answer did not come in time. Repeat the call with the same key.
	ErrTimedOut = errors.New("no answer in time")
	// ErrClosed: the client or the subscription was closed, by you.
	ErrClosed = errors.New("closed")
	// ErrNotUnderstood: what came over the connection is not the daemon's language.
	ErrNotUnderstood = errors.New("not understood")
)

// ServerError is an error that the daemon answered a call with. Code alone identifies it.
type ServerError struct {
	Method  string
	Code    int
	Message string
	// Kind is the stable word of the failure.
	Kind string
	// Retry is `no`, `same` (send the same again, with the same key) or `later`.
	Retry string
	// RetryAfter is how long to wait before that, if the daemon knows.
	RetryAfter time.Duration
	// Effect is `none`, `done` or `unknown`.
	Effect string
	// Data has all of it, and the ids concerned.
	Data map[string]json.RawMessage
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("cannot call '%s': %s (code %d, %s)", e.Method, e.Message, e.Code, e.Kind)
}

// IsCode says whether an error is one of the daemon's with a code, such as CodeUnknownProduct.
func IsCode(err error, code int) bool {
	var refused *ServerError
	return errors.As(err, &refused) && refused.Code == code
}

// readError reads the error member of a reply and tolerates what is missing in it.
func readError(method string, raw json.RawMessage) *ServerError {
	var found struct {
		Code    int
		Message string
		Data    map[string]json.RawMessage
	}
	_ = json.Unmarshal(raw, &found)
	failure := &ServerError{
		Method: method, Code: found.Code, Message: found.Message, Data: found.Data,
		Retry: "no", Effect: "unknown",
	}
	var milliseconds float64
	for name, place := range map[string]any{
		"kind": &failure.Kind, "retry": &failure.Retry, "effect": &failure.Effect,
		"retryAfterMs": &milliseconds,
	} {
		if value, isThere := found.Data[name]; isThere {
			_ = json.Unmarshal(value, place)
		}
	}
	failure.RetryAfter = time.Duration(milliseconds * float64(time.Millisecond))
	return failure
}

func isBroken(err error) bool {
	return errors.Is(err, ErrConnectionLost) || errors.Is(err, ErrNotConnected)
}
