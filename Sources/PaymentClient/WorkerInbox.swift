internal import StrictJSON

/// The queue of transactions that a worker has to handle. It does no input or output.
///
/// Replayed and redelivered records are held until `caughtUp`, because a later record may report
/// the same purchase as finished.
struct WorkerInbox {
    private let states: Set<ObservedTransaction.State>
    private var pending: [String: ObservedTransaction] = [:]
    /// The ids of ``pending`` in order of arrival. Some may no longer be pending.
    private var order: [String] = []
    private var isHeld = true
    /// The transactions whose handlers failed; they wait for the next round.
    private var putOff: Set<String> = []
    /// The recently finished transactions; late records of them are ignored.
    private var done: Set<String> = []
    private var doneOrder: [String] = []

    private static let remembered = 10_000

    init(states: Set<ObservedTransaction.State>) {
        self.states = states
    }

    /// Prepares for a new subscription, which sends the unfinished transactions before `caughtUp`.
    mutating func opened() {
        clear()
        putOff.removeAll()
        isHeld = true
    }

    /// Processes a notification.
    mutating func take(_ notification: ServerNotification) {
        let params = notification.params
        switch (notification.method, params["kind"]?.stringValue) {
        case ("caughtUp", _): isHeld = false
        case ("event", "storefrontChanged"):
            // Transactions of another account are hidden now; those of this account follow again.
            clear()
            isHeld = true
        case ("event", "transactionsUpdated"):
            for snapshot in params["transactions"]?.arrayValue ?? [] {
                if let transaction = ObservedTransaction(snapshot) { put(transaction) }
            }
        case ("event", "transactionsRemoved"):
            for snapshot in params["transactions"]?.arrayValue ?? [] {
                if let id = snapshot["id"]?.stringValue { settle(id) }
            }
        default: break
        }
    }

    /// Adds a snapshot unless a newer one is pending.
    mutating func put(_ transaction: ObservedTransaction) {
        let id = transaction.id
        guard !done.contains(id), (pending[id]?.revision ?? 0) <= transaction.revision else {
            return
        }
        guard states.contains(transaction.state), !transaction.isCompleting else {
            pending[id] = nil
            return
        }
        if pending.updateValue(transaction, forKey: id) == nil { order.append(id) }
    }

    /// The next transaction to handle. It stays the same until it is settled, done or put off.
    mutating func next() -> ObservedTransaction? {
        guard !isHeld else { return nil }
        while let id = order.first {
            if let transaction = pending[id], !putOff.contains(id) { return transaction }
            order.removeFirst()
        }
        return nil
    }

    /// Records that a transaction is finished and never returns.
    mutating func done(_ id: String) {
        settle(id)
        guard done.insert(id).inserted else { return }
        doneOrder.append(id)
        if doneOrder.count > Self.remembered { done.remove(doneOrder.removeFirst()) }
    }

    /// Removes a transaction until the daemon sends it again.
    mutating func settle(_ id: String) {
        pending[id] = nil
        putOff.remove(id)
    }

    /// Postpones a transaction to the next round.
    mutating func putOff(_ id: String) {
        putOff.insert(id)
    }

    /// Starts a new round with all unfinished transactions, including the postponed ones.
    mutating func newRound(_ unfinished: [ObservedTransaction]) {
        clear()
        putOff.removeAll()
        for transaction in unfinished { put(transaction) }
    }

    private mutating func clear() {
        pending.removeAll()
        order.removeAll()
    }
}
