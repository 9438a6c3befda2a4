import JSONRPC
import PaymentAPI
import PaymentCore

extension Transactions.Params {
    /// Whether the states asked for include that of a transaction; without states, everything
    /// unfinished does.
    func admits(_ entry: Transactions.Result.Entry) -> Bool {
        guard let states else { return ids != nil || entry.finish == nil }
        if entry.finish != nil { return states.contains(.finished) }
        return states.contains(Transactions.StateFilter(entry.transaction.state.phase))
    }
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

/// Walks a listing page by page. Unfinished transactions come first, in the order of acceptance,
/// then finished ones, in the order of leaving.
struct TransactionPager {
    /// Most transactions that one call looks at: a filter that admits little must not hold up everybody
    /// else. Then a page is shorter than asked for, and more follow.
    private static let longestScan = 65_536

    /// The position for the next call; nil when everything was listed.
    private(set) var nextToken: String?

    private let params: Transactions.Params
    private let incarnation: UInt64
    private var isInFinished: Bool
    private var position: UInt64

    /// Reads where to go on from the token of an earlier page. Positions mean something only within
    /// one run of the daemon, which the token names.
    init(_ params: Transactions.Params, incarnation: UInt64) throws(ErrorObject) {
        self.params = params
        self.incarnation = incarnation
        guard let page = params.page else {
            isInFinished = false
            position = 0
            return
        }
        let parts = page.string.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "u" || parts[0] == "f",
            let run = UInt64(parts[1]), run == incarnation, let place = UInt64(parts[2])
        else { throw ErrorCode.pageExpired.object() }
        isInFinished = parts[0] == "f"
        position = place
    }

    /// Lists up to the limit asked for, and no more than fits a reply.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - withEnded: Whether unfinished ones of an account whose session the store has ended are
    ///     listed, too.
    ///   - byteLimit: About how much fits.
    /// - Returns: The page.
    mutating func nextPage(
        of queue: PaymentQueue, withEnded: Bool, byteLimit: Int
    ) -> [Transactions.Result.Entry] {
        var page = Page(limit: params.limit, byteLimit: byteLimit)
        if !isInFinished {
            walkUnfinished(queue, withEnded: withEnded, &page)
            if nextToken != nil { return page.entries }
            isInFinished = true
            position = 0
        }
        if params.states?.contains(.finished) == true { walkFinished(queue, &page) }
        return page.entries
    }

    private mutating func walkUnfinished(
        _ queue: PaymentQueue, withEnded: Bool, _ page: inout Page
    ) {
        var last = position
        var isFull = false
        var scanned = 0
        queue.forEachUnfinished(after: position, withEnded: withEnded) { transaction, place, _ in
            guard scanned < Self.longestScan else {
                isFull = true
                return false
            }
            scanned += 1
            let entry = Transactions.Result.Entry(
                transaction: transaction, waitingFor: queue.waitingFor(transaction))
            guard params.admits(entry) else {
                last = place
                return true
            }
            guard page.add(entry) else {
                isFull = true
                return false
            }
            last = place
            return true
        }
        if isFull { nextToken = "u-\(incarnation)-\(last)" }
    }

    private mutating func walkFinished(_ queue: PaymentQueue, _ page: inout Page) {
        var last = position
        var isFull = false
        queue.forEachFinished(after: position) { transaction, finish, place in
            let entry = Transactions.Result.Entry(
                transaction: transaction, waitingFor: nil, finish: finish)
            guard page.add(entry) else {
                isFull = true
                return false
            }
            last = place
            return true
        }
        if isFull { nextToken = "f-\(incarnation)-\(last)" }
    }

    private struct Page {
        let limit: Int
        let byteLimit: Int
        var entries: [Transactions.Result.Entry] = []
        private var bytes = 0

        init(limit: Int, byteLimit: Int) {
            self.limit = limit
            self.byteLimit = byteLimit
        }

        /// Takes an entry if there is room; the first always has room.
        mutating func add(_ entry: Transactions.Result.Entry) -> Bool {
            let size = Self.roughSize(entry.transaction)
            guard entries.isEmpty || entries.count < limit && bytes + size <= byteLimit else {
                return false
            }
            entries.append(entry)
            bytes += size
            return true
        }

        /// More than the transaction takes as JSON, whose texts can grow sixfold by escapes.
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
