/// The queue a second time, written from the contract alone and as plainly as it can be: lists that
/// are searched from end to end, names that are numbers and text. Whatever the real queue does
/// faster, it must not do differently.
struct ReferenceModel {
    /// Where a transaction stands.
    enum Stage: String, CaseIterable {
        case waiting, gated, submitted, deferred, purchased, completing, restored, failed, gone
    }

    /// A transaction.
    struct Item: Equatable {
        var id: Int
        var account: String?
        var product: String
        var price: String
        var country: String
        /// What clients are shown; of what the account had already, the token of the order that was
        /// there.
        var token: String?
        /// What the client sent.
        var requested: String?
        var stage: Stage
        var order: Int?
        var original: Int?
        var reason: String
        var failure: String?
        var revision = 1
        var attempt = 0
        var isConfirmed = false
        /// The account had it already.
        var isOwned = false
        /// The store took its order back.
        var isRevoked = false
        var key: String?
        /// Counts acceptances, and claims by an account.
        var rank: Int
        var createdAt: Int
        var goneAt: Int?
        var goneWhy: String?

        var isLive: Bool { stage != .gone }
        /// Nothing is decided at the store.
        var isOpen: Bool { [.waiting, .gated, .submitted, .deferred].contains(stage) }
    }

    /// A question about a transaction.
    struct Ask: Equatable {
        var id: Int
        var isPayment: Bool
        var item: Int
        var account: String?
        var product: String
        var price: String
        var country: String
        var fallback: Bool
    }

    /// A restore.
    struct Giving: Equatable {
        var id: Int
        var account: String?
        var token: String?
        var keys: [String]
        var createdAt: Int
        var endedAt: Int?
        var outcome: String?
    }

    /// What the outside tells at the moment of a command.
    struct World {
        var now = 0
        /// Prices by country and product; what has none is not sold there.
        var prices: [String: [String: String]]
        var paymentsAllowed = true
        var defaultCountry = "DE"
        /// Products that are bought once.
        var boughtOnce: Set<String>
    }

    var items: [Item] = []
    var asks: [Ask] = []
    var closedAsks: [(id: Int, account: String?)] = []
    var givings: [Giving] = []
    var revoked: Set<Int> = []
    /// Which transaction an order became, for ever.
    var ledger: [Int: Int] = [:]
    var session: (account: String, country: String)?
    var assumed: String?
    var mode = "continue"
    var fallback = false
    var watched: Set<String>?
    var watchesEverything = false
    var hasPaymentAgent = false
    var mostUnfinished: Int
    var mostInFlight: Int
    var mostRestores: Int
    var nextID = 1
    var nextRank = 1
    /// When the last restore of each account ended.
    var lastRestoreEnd: [String: Int] = [:]
    /// What happened because of the command, in words.
    var happened: [String] = []

    init(mostUnfinished: Int, mostInFlight: Int, mostRestores: Int) {
        self.mostUnfinished = mostUnfinished
        self.mostInFlight = mostInFlight
        self.mostRestores = mostRestores
    }

    var unfinished: Int { items.count { $0.isLive } }

    func item(_ id: Int) -> Item? { items.first { $0.id == id } }

    mutating func freshID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    /// Changes a transaction and notes that it did.
    mutating func change(_ id: Int, _ word: String, _ edit: (inout Item) -> Void) {
        guard let place = items.firstIndex(where: { $0.id == id }) else { return }
        edit(&items[place])
        items[place].revision += 1
        say(word, items[place])
    }

    /// Takes a transaction out of the queue.
    mutating func remove(_ id: Int, _ why: String, at now: Int) {
        guard let place = items.firstIndex(where: { $0.id == id }) else { return }
        items[place].revision += 1
        if items[place].stage == .completing { items[place].stage = .purchased }
        say("removed(\(why))", items[place])
        items[place].stage = .gone
        items[place].goneAt = now
        items[place].goneWhy = why
        items[place].rank = nextRank
        nextRank += 1
    }

    mutating func fail(_ id: Int, _ failure: String, order: Int? = nil) {
        change(id, "failed") {
            $0.stage = .failed
            $0.failure = failure
            $0.order = order ?? $0.order
        }
    }

    mutating func say(_ word: String, _ item: Item) {
        happened.append("\(word) \(item.words)")
    }
}

extension ReferenceModel.Item {
    /// Everything that is told about it, in words.
    var words: String {
        let parts: [String] = [
            "#\(id)", account ?? "nobody", product, price, country, token ?? "-", stage.rawValue,
            order.map(String.init) ?? "-", original.map(String.init) ?? "-", reason,
            failure ?? "-", "r\(revision)", "a\(attempt)", isConfirmed ? "confirmed" : "-",
            isRevoked ? "revoked" : "-",
        ]
        return parts.joined(separator: " ")
    }
}

/// What clients ask.
extension ReferenceModel {
    /// Rule 9: the key before all else, then the product, whether the account may buy, what is live,
    /// and the room.
    mutating func add(_ product: String, token: String?, key: String?, _ world: World) -> String {
        if let key, let first = items.first(where: { $0.key == key }) {
            let isSame =
                first.product == product && first.requested == token
                && (session == nil || first.account == session?.account)
            return isSame ? "duplicate \(first.id)" : "keyReuse \(first.id)"
        }
        if let key, let giving = givings.first(where: { $0.keys.contains(key) }) {
            return "keyReuseByRestore \(giving.id)"
        }
        let country = session?.country ?? assumed ?? world.defaultCountry
        guard let price = world.prices[country]?[product] else { return "unknownProduct" }
        if session != nil, !world.paymentsAllowed { return "paymentsNotAllowed" }
        if world.boughtOnce.contains(product), let blocking = blocking(product) {
            return "alreadyLive \(blocking.id)"
        }
        guard unfinished < mostUnfinished else { return "queueFull" }
        let item = Item(
            id: freshID(), account: session?.account, product: product, price: price,
            country: country, token: token, requested: token, stage: .waiting, reason: "purchase",
            key: key, rank: nextRank, createdAt: world.now)
        nextRank += 1
        items.append(item)
        say("added", item)
        return "accepted \(item.id)"
    }

    private func blocking(_ product: String) -> Item? {
        items.filter {
            $0.account == session?.account && $0.product == product && $0.isLive
                && $0.stage != .completing && $0.stage != .failed
        }.min { $0.rank < $1.rank }
    }

    /// Rule 4.
    mutating func finish(_ id: Int, _ world: World) -> String {
        guard let item = item(id) else { return "unknownTransaction" }
        switch item.stage {
        case .gone: return "alreadyFinished"
        case .waiting:
            remove(id, "withdrawn", at: world.now)
            return "removed"
        case .gated:
            remove(id, "withdrawn", at: world.now)
            closeAsk(about: id, value: nil, "withdrawn")
            return "removed"
        case .submitted, .deferred: return "ignoredInFlight"
        case .failed, .restored:
            remove(id, "finished", at: world.now)
            return "removed"
        case .purchased where item.isRevoked || item.isOwned:
            remove(id, "finished", at: world.now)
            return "removed"
        case .purchased:
            change(id, "completing") { $0.stage = .completing }
            return "completing"
        case .completing: return "completing"
        }
    }

    /// Rule 8: the restores of the account that leaves end; what belongs to nobody becomes the
    /// property of the account that comes; questions for another country are void.
    mutating func setSession(_ new: (account: String, country: String)?, _ world: World) -> String {
        if new?.account == session?.account, new?.country == session?.country { return "same" }
        if let old = session, old.account != new?.account {
            for giving in givings where giving.endedAt == nil && giving.account == old.account {
                endRestore(giving.id, "cancelled", world)
            }
        }
        session = new
        happened.append("session \(new.map { "\($0.account) \($0.country)" } ?? "nobody")")
        if let account = new?.account { claim(for: account) }
        review()
        return "changed"
    }

    private mutating func claim(for account: String) {
        let live = items.indices.filter { items[$0].account == nil && items[$0].isLive }
        let gone = items.indices.filter { items[$0].account == nil && !items[$0].isLive }
        for place in live.sorted(by: { items[$0].rank < items[$1].rank })
            + gone.sorted(by: { items[$0].rank < items[$1].rank })
        {
            items[place].account = account
            items[place].rank = nextRank
            nextRank += 1
        }
        for place in givings.indices where givings[place].account == nil {
            givings[place].account = account
        }
    }

    /// Questions about another country than that of the session end, and are asked anew.
    private mutating func review() {
        guard let session else { return }
        for ask in asks where ask.account == session.account && ask.country != session.country {
            close(ask, value: nil, "sessionChanged")
            change(ask.item, "refreshed") { $0.stage = .waiting }
        }
    }

    mutating func assume(_ country: String?) -> String {
        guard country != assumed else { return "same" }
        assumed = country
        happened.append("assumed \(country ?? "-")")
        return "changed"
    }

    mutating func setPolicy(_ mode: String, fallback: Bool) -> String {
        guard mode != self.mode || fallback != self.fallback else { return "same" }
        self.mode = mode
        self.fallback = fallback
        happened.append("policy \(mode) \(fallback)")
        return "changed"
    }

    /// Ids, keys and restores are remembered for a time only.
    mutating func forget(before: Int) -> String {
        let old = Set(items.filter { !$0.isLive && ($0.goneAt ?? 0) < before }.map(\.id))
        guard !old.isEmpty || oldestEnd.map({ $0 < before }) ?? false else { return "nothing" }
        items.removeAll { old.contains($0.id) }
        givings.removeAll { $0.endedAt.map { $0 < before } ?? false }
        happened.append("forgotten \(before)")
        return "forgotten"
    }

    private var oldestEnd: Int? { givings.compactMap(\.endedAt).min() }
}
