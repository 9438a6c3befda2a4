package payqueued

// inbox decides what is handed out, and when. It does no input or output.
//
// What is replayed or delivered again is held until the daemon says `caughtUp`: a record of a purchase
// may be followed by the one that it was finished long ago.
type inbox struct {
	pending map[string]Transaction
	order   []string
	isHeld  bool
	// putOff: handlers failed for these; they wait for the next round.
	putOff map[string]bool
	// done: finished lately, the oldest first. What was on its way meanwhile is old news.
	done      map[string]bool
	doneOrder []string
}

func newInbox() *inbox {
	return &inbox{
		pending: map[string]Transaction{}, isHeld: true, putOff: map[string]bool{},
		done: map[string]bool{},
	}
}

// take takes in what the daemon sent. Kinds that are not known pass.
func (i *inbox) take(found Notification) {
	switch {
	case found.Opened != nil:
		// Whatever is unfinished comes again before the next caughtUp.
		i.hold()
		i.putOff = map[string]bool{}
	case found.CaughtUp != nil:
		i.isHeld = false
	case found.Event == nil:
	case found.Event.Kind == EventKindStorefrontChanged:
		// Another account's transactions are hidden now; this one's come again.
		i.hold()
	case found.Event.Kind == EventKindTransactionsUpdated:
		for _, transaction := range found.Event.Transactions {
			i.put(transaction)
		}
	case found.Event.Kind == EventKindTransactionsRemoved:
		for _, transaction := range found.Event.Transactions {
			i.settle(transaction.ID)
		}
	}
}

// put takes in a snapshot, unless a newer one is here.
func (i *inbox) put(transaction Transaction) {
	id := transaction.ID
	known, isKnown := i.pending[id]
	if i.done[id] || isKnown && known.Revision > transaction.Revision {
		return
	}
	if !transaction.IsSettled() || transaction.Completing {
		delete(i.pending, id)
		return
	}
	if !isKnown {
		i.order = append(i.order, id)
	}
	i.pending[id] = transaction
}

// next is the next one to hand out, the same until it is settled, done or put off.
func (i *inbox) next() (Transaction, bool) {
	if i.isHeld {
		return Transaction{}, false
	}
	for len(i.order) > 0 {
		id := i.order[0]
		if transaction, isPending := i.pending[id]; isPending && !i.putOff[id] {
			return transaction, true
		}
		i.order = i.order[1:]
	}
	return Transaction{}, false
}

// finished: it never comes back.
func (i *inbox) finished(id string) {
	i.settle(id)
	i.done[id] = true
	i.doneOrder = append(i.doneOrder, id)
	if len(i.doneOrder) > 10_000 {
		delete(i.done, i.doneOrder[0])
		i.doneOrder = i.doneOrder[1:]
	}
}

// settle: it left the queue, or is another program's until it comes again.
func (i *inbox) settle(id string) {
	delete(i.pending, id)
	delete(i.putOff, id)
}

// newRound hands out again everything that is unfinished now, those put off included.
func (i *inbox) newRound(unfinished []Transaction) {
	i.putOff = map[string]bool{}
	i.pending = map[string]Transaction{}
	i.order = nil
	for _, transaction := range unfinished {
		i.put(transaction)
	}
}

func (i *inbox) hold() {
	i.pending = map[string]Transaction{}
	i.order = nil
	i.isHeld = true
}
