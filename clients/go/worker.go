package payqueued

import (
	"context"
	"errors"
	"log"
	"time"
)

// MayUnlock says whether what was bought may be unlocked; finish it in any case. It is paid or restored,
// the store did not revoke it, and it does not begin later: of a scheduled change of subscription the
// renewal brings the goods. Unlock by TransactionIdentifier: two transactions may name the same order.
func (t Transaction) MayUnlock() bool {
	isPaid := t.TransactionState == TransactionStatePurchased ||
		t.TransactionState == TransactionStateRestored
	return isPaid && t.Revocation == nil && t.Offer != OfferKindScheduled
}

// IsSettled says whether the transaction waits to be finished. One in a state of a later daemon does
// not.
func (t Transaction) IsSettled() bool {
	switch t.TransactionState {
	case TransactionStatePurchased, TransactionStateRestored, TransactionStateFailed:
		return true
	}
	return false
}

// Worker delivers what is bought. Each function may be called twice for the same transaction, after a
// crash or a broken connection. While one runs nothing else is read.
type Worker struct {
	// Unlock delivers what may be unlocked; the transaction is finished after it returned nil, and
	// handed out again later if it returned an error.
	Unlock func(context.Context, Transaction) error
	// Refuse is called for what must not be unlocked, before it is finished: what failed, what the
	// store took back meanwhile (it has a Revocation), and what begins later. May be nil.
	Refuse func(context.Context, Transaction) error
	// Notify is called with every notification. May be nil.
	Notify func(Notification)
	// Report is called with what went wrong on the way; log.Print if it is nil.
	Report func(error)
	// Products narrows the work to these; all if it is empty.
	Products []string
	// RetryEvery is how often to look again for what is still unfinished; 180 s if it is 0.
	RetryEvery time.Duration
}

// Work hands every settled transaction to a worker, and finishes it then, until the context ends or the
// client is closed; it returns nil then.
func (c *Client) Work(ctx context.Context, worker Worker) error {
	if worker.RetryEvery == 0 {
		worker.RetryEvery = 180 * time.Second
	}
	if worker.Report == nil {
		worker.Report = func(err error) { log.Print(err) }
	}
	wanted := SubscribeParams{Products: worker.Products}
	if worker.Notify == nil {
		wanted.Kinds = []EventKind{
			EventKindTransactionsUpdated, EventKindTransactionsRemoved, EventKindStorefrontChanged,
		}
	}
	run := run{
		client: c, worker: worker, inbox: newInbox(), subscription: c.Subscribe(wanted, nil),
		unconfirmed: map[string]bool{},
	}
	defer run.subscription.Close()
	err := run.loop(ctx)
	if ctx.Err() != nil || errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

type run struct {
	client       *Client
	worker       Worker
	inbox        *inbox
	subscription *Subscription
	// unconfirmed: handled, but the daemon did not answer the finish.
	unconfirmed map[string]bool
	// nextRound begins to count when a round is through, so that one that takes long leaves time for
	// what is new.
	nextRound time.Time
}

func (r *run) loop(ctx context.Context) error {
	for ctx.Err() == nil {
		if transaction, isThere := r.inbox.next(); isThere {
			r.deliver(ctx, transaction)
			if r.client.over() {
				return ErrClosed
			}
			continue
		}
		if r.nextRound.IsZero() {
			r.nextRound = time.Now().Add(r.worker.RetryEvery)
		}
		soon, cancel := context.WithDeadline(ctx, r.nextRound)
		found, err := r.subscription.Next(soon)
		isTimeForRound := soon.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			r.inbox.take(found)
			if r.worker.Notify != nil {
				r.worker.Notify(found)
			}
		case isTimeForRound && errors.Is(err, context.DeadlineExceeded):
			r.lookAgain(ctx)
		default:
			return err
		}
	}
	return ctx.Err()
}

func (r *run) deliver(ctx context.Context, transaction Transaction) {
	id := transaction.ID
	// When only the finish is missing nothing must be delivered again for that.
	if !r.unconfirmed[id] {
		if err := r.handle(ctx, transaction); err != nil {
			r.inbox.putOff[id] = true
			r.worker.Report(err)
			return
		}
		r.unconfirmed[id] = true
	}
	// What is delivered is finished, also when the context ended meanwhile.
	answer, err := r.client.Finish(context.Background(), FinishParams{Transaction: id})
	if err != nil {
		r.inbox.putOff[id] = true
		if !errors.Is(err, ErrClosed) {
			r.worker.Report(err)
		}
		return
	}
	delete(r.unconfirmed, id)
	if answer.Disposition == FinishDispositionIgnoredInFlight {
		r.inbox.settle(id)
	} else {
		r.inbox.finished(id)
	}
}

func (r *run) handle(ctx context.Context, transaction Transaction) error {
	if transaction.MayUnlock() {
		return r.worker.Unlock(ctx, transaction)
	}
	if r.worker.Refuse == nil {
		return nil
	}
	return r.worker.Refuse(ctx, transaction)
}

func (r *run) lookAgain(ctx context.Context) {
	r.nextRound = time.Time{}
	var unfinished []Transaction
	wanted := TransactionsParams{States: []TransactionFilter{
		TransactionFilterPurchased, TransactionFilterRestored, TransactionFilterFailed,
	}}
	for {
		answer, err := r.client.Transactions(ctx, wanted)
		if err != nil {
			if ctx.Err() == nil {
				r.worker.Report(err)
			}
			return
		}
		for _, transaction := range answer.Transactions {
			if r.isWanted(transaction.Payment.Product.ProductIdentifier) {
				unfinished = append(unfinished, transaction)
			}
		}
		if answer.Next == "" {
			break
		}
		wanted.Page = answer.Next
	}
	r.inbox.newRound(unfinished)
}

func (r *run) isWanted(product string) bool {
	for _, wanted := range r.worker.Products {
		if wanted == product {
			return true
		}
	}
	return len(r.worker.Products) == 0
}
