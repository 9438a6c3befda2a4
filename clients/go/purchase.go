package payqueued

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// StillWaiting: the context ended and the purchase continues.
type StillWaiting struct {
	Transaction string
	WaitingFor  WaitingFor
}

func (e *StillWaiting) Error() string {
	if e.WaitingFor == "" {
		return fmt.Sprintf("'%s' is not decided yet", e.Transaction)
	}
	return fmt.Sprintf("'%s' is not decided yet: it waits for %s", e.Transaction, e.WaitingFor)
}

// LeftTheQueue: the transaction is gone, finished earlier or discarded.
type LeftTheQueue struct {
	Transaction string
	Reason      RemovalReason
	State       TransactionState
}

func (e *LeftTheQueue) Error() string {
	return fmt.Sprintf("'%s' has left the queue: %s", e.Transaction, e.Reason)
}

// BuyOnce buys a product once per intent and returns the transaction in the state in which it settled,
// which may be `failed`.
//
// The key of the intent is on disk before anything is sent, so that calling this again after any crash,
// of the program, the daemon or the machine, continues with the same purchase. It is neither delivered nor
// finished by this: a worker does that, or you. It waits as long as the context allows, 60 s if that has
// no deadline, and returns *StillWaiting then; *LeftTheQueue if the purchase left the queue. `token` is
// the application's own account; it may be empty.
func (c *Client) BuyOnce(
	ctx context.Context, keys KeyFile, intent, product, token string,
) (*Transaction, error) {
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 60*time.Second)
		defer cancel()
	}
	key, err := keys.Key(intent)
	if err != nil {
		return nil, err
	}
	// The queue makes progress only while a client observes.
	observer := c.Subscribe(SubscribeParams{Products: []string{product}}, nil)
	defer observer.Close()
	if err := observer.Open(ctx); err != nil {
		return nil, err
	}
	go func() {
		for {
			if _, err := observer.Next(context.Background()); err != nil {
				return
			}
		}
	}()
	added, err := c.addUntil(ctx, AddParams{Product: product, AppAccountToken: token, Key: key})
	if err != nil {
		return nil, err
	}
	if added.Removed != nil {
		return nil, &LeftTheQueue{added.Transaction, added.Removed.Reason, added.State}
	}
	return c.settled(ctx, added.Transaction)
}

// addUntil repeats the call, with the same key, as long as that can help.
func (c *Client) addUntil(ctx context.Context, params AddParams) (*AddResult, error) {
	for {
		added, err := c.Add(ctx, params)
		if err == nil {
			return added, nil
		}
		pause := time.Second
		var refused *ServerError
		if errors.As(err, &refused) {
			if refused.Retry == "no" && refused.Effect != "unknown" {
				return nil, err
			}
			if refused.RetryAfter > 0 {
				pause = refused.RetryAfter
			}
		} else if !isBroken(err) {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func (c *Client) settled(ctx context.Context, id string) (*Transaction, error) {
	waiting := &StillWaiting{Transaction: id}
	for {
		left := 60.0
		if deadline, isThere := ctx.Deadline(); isThere && time.Until(deadline).Seconds() < left {
			// Answered before the context ends, so that it is known what the purchase waits for.
			left = time.Until(deadline).Seconds() - 0.5
		}
		if left < 0 {
			left = 0
		}
		answer, err := c.Wait(ctx, WaitParams{Transaction: id, Timeout: Some(left)})
		switch {
		case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimedOut):
			return nil, waiting
		case err != nil:
			return nil, err
		}
		found := answer.Transaction
		if found != nil && found.TransactionState != TransactionStatePurchasing {
			return found, nil
		}
		if found != nil && answer.Reached {
			return nil, &LeftTheQueue{id, "removed", found.TransactionState}
		}
		if found != nil {
			waiting.WaitingFor = found.WaitingFor
		}
		if left == 0 || ctx.Err() != nil {
			return nil, waiting
		}
	}
}
