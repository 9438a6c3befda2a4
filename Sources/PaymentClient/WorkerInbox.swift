internal import StrictJSON

/// Decides what a worker hands out, and when. Does no input or output.
///
/// Replayed and redelivered records are held until the daemon sends `caughtUp`: a record of a
/// purchase may be followed by the one that it was finished long ago.
struct WorkerInbox {
    private let states: Set<ObservedTransaction.State>
    private var pending: [String: ObservedTransaction] = [:]
    /// The ids of ``pending`` in the order of coming; some of them may be gone.
    private var order: [String] = []
    private var isHeld = true
    /// Handlers failed for these; they wait for the next round.
    private var putOff: Set<String> = []
    /// Finished lately: what was on its way meanwhile is old news.
    private var done: Set<String> = []
    private var doneOrder: [String] = []

    private static let remembered = 10_000

    init(states: Set<ObservedTransaction.State>) {
        self.states = states
    }

    /// The subscription began, or began again: what is unfinished comes before `caughtUp`.
    mutating func opened() {
        clear()
        putOff.removeAll()
        isHeld = true
    }

    /// Takes in what the daemon sent.
    mutating func take(_ notification: ServerNotification) {
        let params = notification.params
        switch (notification.method, params["kind"]?.stringValue) {
        case ("caughtUp", _): isHeld = false
        case ("event", "storefrontChanged"):
            // Another account's transactions are hidden now; this one's come again.
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

    /// Takes in a snapshot, unless a newer one is here.
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

    /// The next one to hand out, the same until it is settled, done or put off.
    mutating func next() -> ObservedTransaction? {
        guard !isHeld else { return nil }
        while let id = order.first {
            if let transaction = pending[id], !putOff.contains(id) { return transaction }
            order.removeFirst()
        }
        return nil
    }

    /// It is finished and never comes back.
    mutating func done(_ id: String) {
        settle(id)
        guard done.insert(id).inserted else { return }
        doneOrder.append(id)
        if doneOrder.count > Self.remembered { done.remove(doneOrder.removeFirst()) }
    }

    /// It is somebody else's business until it comes again.
    mutating func settle(_ id: String) {
        pending[id] = nil
        putOff.remove(id)
    }

    /// It could not be handled now.
    mutating func putOff(_ id: String) {
        putOff.insert(id)
    }

    /// Everything that is unfinished now, those put off included, is handed out again.
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
