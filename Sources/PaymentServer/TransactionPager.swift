import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The conditions of a listing.
struct TransactionFilter {
    private let states: Set<Transactions.StateFilter>?
    private let waitingFor: Set<WaitingFor>?
    private let text: SearchText?
    /// Whether the call names identifiers. Finished transactions are then listed even if the call
    /// does not select their state.
    private let isByID: Bool

    /// Reads the conditions of a call.
    init(_ params: Transactions.Params) {
        states = params.states
        waitingFor = params.waitingFor
        text = params.search.flatMap { SearchText($0.string) }
        isByID = params.ids != nil
    }

    /// Whether a transaction meets every condition.
    func admits(_ entry: Transactions.Result.Entry) -> Bool {
        admits(entry.transaction, entry.finish) && admits(entry.waitingFor)
    }

    /// Whether a transaction meets the conditions, except the condition about what it waits for.
    func admits(_ transaction: Transaction, _ finish: Finish?) -> Bool {
        if let states {
            let state = finish == nil ? .init(transaction.state.phase) : Filter.finished
            guard states.contains(state) else { return false }
        } else if finish != nil, !isByID {
            return false
        }
        guard let text else { return true }
        let payment = transaction.payment
        return text.begins(transaction.id.value)
            || transaction.order.map { text.begins($0.value) } == true
            || text.isPart(of: payment.product.product.productIdentifier)
            || payment.appAccountToken.map { text.isPart(of: $0) } == true
    }

    /// Whether a transaction that waits for `waitingFor` meets the condition about it.
    func admits(_ waitingFor: WaitingFor?) -> Bool {
        guard let wanted = self.waitingFor else { return true }
        return waitingFor.map { wanted.contains($0) } ?? false
    }

    private typealias Filter = Transactions.StateFilter
}

extension Transactions.StateFilter {
    init(_ phase: TransactionState.Phase) {
        switch phase {
        case .purchasing: self = .purchasing
        case .purchased: self = .purchased
        case .restored: self = .restored
        case .failed: self = .failed
        }
    }
}

/// Produces a listing page by page. Unfinished transactions come first, in the order of acceptance,
/// then finished ones, in the order of leaving.
struct TransactionPager {
    /// The maximum number of transactions that one call examines, about a millisecond of work. A
    /// filter that admits few transactions must not delay other clients: the page is then shorter
    /// than requested, and more pages follow.
    static let longestScan = 4096
    /// The same limit for transactions that are read from the history.
    static let longestRead = 128

    /// The position for the next call; nil when everything was listed.
    private(set) var nextToken: String?

    private let params: Transactions.Params
    private let filter: TransactionFilter
    private let incarnation: UInt64
    private var isInFinished: Bool
    private var position: UInt64

    /// Reads the position from the token of an earlier page. The position of an unfinished
    /// transaction is valid only within one run of the daemon, which the token names. That of a
    /// finished one is the record that removed it.
    init(_ params: Transactions.Params, incarnation: UInt64) throws(ErrorObject) {
        self.params = params
        filter = TransactionFilter(params)
        self.incarnation = incarnation
        guard let page = params.page else {
            isInFinished = params.states == [.finished]
            position = 0
            return
        }
        let parts = page.string.split(separator: "-", omittingEmptySubsequences: false)
        isInFinished = parts[0] == "f"
        guard isInFinished || parts[0] == "u",
            !isInFinished || params.states?.contains(.finished) == true,
            parts.count == (isInFinished ? 2 : 3),
            isInFinished || UInt64(parts[1]) == incarnation, let place = parts.last,
            let place = UInt64(place)
        else { throw ErrorCode.pageExpired.object() }
        position = place
    }

    /// Lists transactions up to the requested limit, and no more than fit into a reply.
    ///
    /// - Parameters:
    ///   - engine: The engine of the queue.
    ///   - withEnded: Whether to list also unfinished transactions of an account whose session the
    ///     store has ended.
    ///   - byteLimit: The approximate maximum size of the page, in bytes.
    /// - Returns: The page.
    /// - Throws: Finished transactions cannot be read now.
    mutating func nextPage(
        of engine: PaymentEngine, withEnded: Bool, byteLimit: Int
    ) throws(EngineRefusal) -> [Transactions.Result.Entry] {
        let queue = engine.queue
        var page = Page(limit: params.limit, byteLimit: byteLimit)
        if !isInFinished {
            queue.forEachUnfinished(after: position, withEnded: withEnded) {
                transaction, place, _ in
                look(at: transaction, nil, place, of: queue, &page)
            }
            guard nextToken == nil else { return page.entries }
            isInFinished = true
            position = 0
        }
        guard params.states?.contains(.finished) == true else { return page.entries }
        try addHistory(of: engine.reader, queue, to: &page)
        guard nextToken == nil else { return page.entries }
        queue.forEachFinished(after: position) { transaction, finish, place in
            look(at: transaction, finish, place, of: queue, &page)
        }
        return page.entries
    }

    /// Adds finished transactions that memory does not have any more, which are older than those in
    /// memory.
    private mutating func addHistory(
        of reader: QueueReader, _ queue: PaymentQueue, to page: inout Page
    ) throws(EngineRefusal) {
        let end = reader.historyEnd
        guard position < end else { return }
        let closed = try reader.finishedInHistory(after: position, limit: Self.longestRead)
        for entry in closed.entries {
            let isListed = look(
                at: entry.transaction, entry.finish, entry.sequence, of: queue, &page)
            guard isListed else { return }
        }
        position = closed.next ?? end
        if closed.next != nil { nextToken = token }
    }

    private var token: String {
        isInFinished ? "f-\(position)" : "u-\(incarnation)-\(position)"
    }

    /// Examines the next transaction, or notes that the next call continues with it.
    ///
    /// - Returns: Whether this call may examine another one.
    private mutating func look(
        at transaction: Transaction, _ finish: Finish?, _ place: UInt64, of queue: PaymentQueue,
        _ page: inout Page
    ) -> Bool {
        guard page.scanned < Self.longestScan, list(transaction, finish, of: queue, on: &page)
        else {
            nextToken = token
            return false
        }
        page.scanned += 1
        position = place
        return true
    }

    /// Puts a transaction that the filter admits on the page.
    ///
    /// - Returns: True if the transaction was added or the filter excludes it; false if the page
    ///   has no room.
    private func list(
        _ transaction: Transaction, _ finish: Finish?, of queue: PaymentQueue, on page: inout Page
    ) -> Bool {
        guard filter.admits(transaction, finish) else { return true }
        let waitingFor = finish == nil ? queue.waitingFor(transaction) : nil
        guard filter.admits(waitingFor) else { return true }
        return page.add(.init(transaction: transaction, waitingFor: waitingFor, finish: finish))
    }

    private struct Page {
        let limit: Int
        let byteLimit: Int
        var entries: [Transactions.Result.Entry] = []
        /// The number of examined transactions.
        var scanned = 0
        private var bytes = 0

        init(limit: Int, byteLimit: Int) {
            self.limit = limit
            self.byteLimit = byteLimit
        }

        /// Adds an entry if there is room; the first entry always fits.
        mutating func add(_ entry: Transactions.Result.Entry) -> Bool {
            let size = Self.roughSize(entry.transaction)
            guard entries.isEmpty || entries.count < limit && bytes + size <= byteLimit else {
                return false
            }
            entries.append(entry)
            bytes += size
            return true
        }

        /// An upper bound of the transaction's size as JSON, in bytes. Escapes can make its texts
        /// six times as long.
        private static func roughSize(_ transaction: Transaction) -> Int {
            let product = transaction.payment.product.product
            let texts =
                product.localizedTitle.utf8.count + product.localizedDescription.utf8.count
                + (transaction.payment.appAccountToken?.byteCount ?? 0)
                + product.productIdentifier.byteCount + (product.iconURL?.utf8.count ?? 0)
            return 1500 + texts * 6
        }
    }
}
