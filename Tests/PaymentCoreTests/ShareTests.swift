import PaymentTesting
import Testing

@testable import PaymentCore

@Suite("Shares of limits")
struct ShareTests {
    private static let owner: UInt32 = 7
    private static let anna: UInt32 = 1000
    private static let bert: UInt32 = 1001

    private static func limits(_ number: Int) -> Limits {
        var limits = Limits()
        limits.subscriptions = number
        limits.exemptUser = owner
        return limits
    }

    /// Takes units for a user until they are refused.
    private static func fill(
        _ share: inout Share, by user: UInt32, of number: Int
    ) -> (taken: Int, end: Share.Verdict) {
        var taken = 0
        while true {
            let verdict = share.verdict(on: user, of: number, limits(number))
            guard verdict == .admitted else { return (taken, verdict) }
            share.take(for: user)
            taken += 1
        }
    }

    @Test("Each user that comes gets a smaller share, and all leave a sixteenth")
    func halves() {
        var share = Share()
        let found = (0..<6).map { Self.fill(&share, by: Self.anna + $0, of: 1024).taken }
        #expect(found == [480, 160, 80, 48, 32, 22])
        #expect(Self.fill(&share, by: Self.owner, of: 1024).end == .full)
        #expect(share.total == 1024)
    }

    @Test("A refusal says how many units the user may hold")
    func allowance() {
        var share = Share()
        #expect(Self.fill(&share, by: Self.anna, of: 64).end == .beyondShare(30))
        #expect(Self.fill(&share, by: Self.bert, of: 64).end == .beyondShare(10))
        #expect(
            share.verdict(on: Self.anna, of: 64, Self.limits(64)) == .beyondShare(16))
    }

    @Test("Root and the daemon's own user take what is left, and nothing beyond the limit")
    func exempt() {
        for user in [0, Self.owner] {
            var share = Share()
            #expect(Self.fill(&share, by: user, of: 64) == (64, .full))
            #expect(share.verdict(on: Self.anna, of: 64, Self.limits(64)) == .full)
            share.giveBack(of: user)
            #expect(share.verdict(on: Self.anna, of: 64, Self.limits(64)) == .admitted)
        }
    }

    @Test("A sixteenth is kept, and at least one unit where there are two")
    func kept() {
        #expect([1, 2, 15, 16, 31, 32, 1024].map(Share.kept) == [0, 1, 1, 1, 1, 2, 64])
        for number in [2, 3, 16, 40] {
            var share = Share()
            for user in 0..<50 { _ = Self.fill(&share, by: Self.anna + UInt32(user), of: number) }
            #expect(share.total == number - Share.kept(of: number))
            let taken = Self.fill(&share, by: 0, of: number).taken
            #expect(taken == Share.kept(of: number))
        }
    }

    @Test("What root holds comes out of the part that is kept first")
    func rootInReserve() {
        var share = Share()
        share.take(4, for: 0)
        #expect(Self.fill(&share, by: Self.anna, of: 64).taken == 20)
        share.take(4, for: 0)
        #expect(
            share.verdict(on: Self.anna, of: 64, Self.limits(64)) == .beyondShare(18))
    }

    @Test("Exempt users count among those that hold units, as every other user")
    func exemptCount() {
        for user in [0, Self.owner] {
            var share = Share()
            share.take(for: user)
            #expect(Self.fill(&share, by: Self.anna, of: 64).taken == 20)
        }
    }

    @Test("A small limit has a unit for a user, also beside root")
    func small() {
        let found = [1, 2, 3, 4, 5, 8, 16].map { number in
            var share = Share()
            return Self.fill(&share, by: Self.anna, of: number).taken
        }
        #expect(found == [1, 1, 1, 1, 2, 3, 7])
        for number in 2...4 {
            var share = Share()
            share.take(for: 0)
            #expect(Self.fill(&share, by: Self.anna, of: number).taken == 1)
        }
    }

    @Test("A user without a unit gets one while there is any")
    func first() {
        var share = Share()
        let users = 10
        for user in 0..<users {
            let taken = Self.fill(&share, by: Self.anna + UInt32(user), of: 8).taken
            #expect(taken >= 1 || share.total == 7)
        }
        #expect(share.verdict(on: 9999, of: 8, Self.limits(8)) == .beyondShare(0))
        #expect(Self.fill(&share, by: Self.owner, of: 8).taken == 1)
    }

    @Test("What is charged to no user takes room and has no share")
    func nobody() {
        var share = Share()
        share.take(40, for: nil)
        #expect(share.held.isEmpty)
        #expect(Self.fill(&share, by: Self.anna, of: 64).taken == 10)
        share.giveBack(40, of: nil)
        #expect(share.total == 10)
    }

    @Test("What was given back is as if it had never been taken")
    func givenBack() {
        var share = Share()
        share.take(3, for: Self.anna)
        share.giveBack(for: Self.anna, 3)
        #expect(share == Share())
    }

    @Test("The verdicts are those of the formula", arguments: 1...8 as ClosedRange<UInt64>)
    func formula(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let number = 1 + dice.below(200)
        var share = Share()
        var held: [UInt32: Int] = [:]
        let users: [UInt32] = [0, Self.owner] + (0..<UInt32(1 + dice.below(9))).map { 1000 + $0 }
        for _ in 0..<2000 {
            let user = users[dice.below(users.count)]
            if dice.below(3) == 0, let mine = held[user], mine > 0 {
                share.giveBack(of: user)
                held[user] = mine - 1
                continue
            }
            let isAdmitted =
                share.verdict(on: user, of: number, Self.limits(number)) == .admitted
            #expect(isAdmitted == Self.mayTake(user, held, number))
            guard isAdmitted else { continue }
            share.take(for: user)
            held[user, default: 0] += 1
        }
        #expect(share.held == held.filter { $0.value > 0 })
        #expect(share.total == held.values.reduce(0, +))
    }

    /// The rule of section 7, word by word.
    private static func mayTake(_ user: UInt32, _ held: [UInt32: Int], _ number: Int) -> Bool {
        let total = held.values.reduce(0, +)
        let trusted: Set<UInt32> = [0, owner]
        guard total < number else { return false }
        guard !trusted.contains(user) else { return true }
        let ofTrusted = trusted.reduce(0) { $0 + held[$1, default: 0] }
        let sixteenth = number < 2 ? 0 : max(1, number / 16)
        let left = number - total - max(0, sixteenth - ofTrusted)
        guard left > 0 else { return false }
        let mine = held[user, default: 0]
        let others = held.filter { $0.value > 0 && $0.key != user }
        return mine == 0 || (1 + mine) * (others.count + 2) <= left + mine
    }
}

extension Share {
    fileprivate mutating func giveBack(for user: UInt32, _ count: Int) {
        giveBack(count, of: user)
    }
}

@Suite("Shares of the queue")
struct QueueShareTests {
    private static func bench(_ change: (inout Limits) -> Void) -> Bench {
        var limits = Limits()
        change(&limits)
        var bench = Bench(limits: limits)
        bench.queue.limits.exemptUser = 7
        bench.logIn(Samples.anna)
        bench.queue.activeObservers.everything = true
        return bench
    }

    private static func origin(_ user: UInt32) -> Origin {
        Origin(uid: user, connection: 1, request: 1)
    }

    @Test("A user has its share of the unfinished transactions, the queue is full for all together")
    func transactions() throws {
        var bench = Self.bench { $0.unfinishedTransactions = 16 }
        bench.origin = Self.origin(1000)
        let ids = (0..<7).map { _ in bench.add() }
        #expect(
            bench.refusal(of: Samples.coins)
                == .shareExceeded(.unfinishedTransactions, number: 16, share: 7))
        bench.origin = Self.origin(1001)
        (0..<2).forEach { _ in bench.add() }
        bench.origin = Self.origin(7)
        (0..<7).forEach { _ in bench.add() }
        #expect(bench.refusal(of: Samples.coins) == .queueFull(limit: 16))
        bench.origin = Self.origin(1000)
        #expect(bench.refusal(of: Samples.coins) == .queueFull(limit: 16))
        _ = try bench.finish(ids[0])
        #expect(
            bench.queue.share(of: .unfinishedTransactions)?.held == [7: 7, 1000: 6, 1001: 2])
    }

    @Test("A known key is answered before the share is looked at")
    func keys() {
        var bench = Self.bench { $0.unfinishedTransactions = 4 }
        let first = bench.add(key: "k")
        #expect(bench.refusal(of: Samples.coins) != nil)
        #expect(bench.add(key: "k") == first)
    }

    @Test("Transactions that the store reports are charged to no user")
    func ofTheStore() {
        var bench = Self.bench { _ in }
        var events: [Event] = []
        let purchase = Samples.purchase(1, isCompleted: false)
        _ = bench.queue.decide(
            purchase, of: Samples.anna, bench.context(closed: purchase.closedKeys),
            events: &events)
        bench.apply(events)
        let share = bench.queue.share(of: .unfinishedTransactions)
        #expect(share?.held == [:])
        #expect(share?.total == 1)
    }

    @Test("A user has its share of the running restores")
    func restores() {
        var bench = Self.bench { $0.unfinishedRestores = 8 }
        let ids = ["1", "2", "3"].map { bench.restore(token: OpaqueText($0)) }
        let refusal = Refusal.shareExceeded(.unfinishedRestores, number: 8, share: 3)
        #expect(bench.restoreRefusal(token: "4") == refusal)
        #expect(bench.restore(token: "1") == ids[0])
        bench.end(ids[0], .completed(count: 0))
        #expect(bench.restoreRefusal(token: "4") == nil)
    }

    @Test("A user has its share of the names, and those it stops using come back to it")
    func names() throws {
        var bench = Self.bench { $0.namedObservers = 8 }
        let user = bench.origin?.uid
        for name in ["a", "b", "c"] as [OpaqueText] {
            try bench.queue.admit(name, user: user)
            var events: [Event] = []
            bench.queue.decideObserver(name, from: 0, bench.context, events: &events)
            bench.apply(events)
        }
        #expect(throws: Refusal.shareExceeded(.namedObservers, number: 8, share: 3)) {
            try bench.queue.admit("d", user: user)
        }
        try bench.queue.admit("a", user: user)
        #expect(throws: Refusal.nameOfAnother("a")) { try bench.queue.admit("a", user: 1) }
        try bench.queue.admit("d", user: 1)
        bench.time = bench.time.advanced(bySeconds: 1)
        bench.forget(before: bench.time)
        #expect(bench.queue.share(of: .namedObservers) == Share())
    }

    @Test("A replay and a snapshot charge as the calls did")
    func replay() throws {
        var bench = Self.bench { _ in }
        for user: UInt32 in [1000, 1001, 1001, 1002] {
            bench.origin = Self.origin(user)
            bench.add()
            bench.add(Samples.coins, key: OpaqueText("key \(bench.records.count)"))
            bench.restore(token: OpaqueText("\(bench.records.count)"))
            var events: [Event] = []
            bench.queue.decideObserver(
                OpaqueText("name \(bench.records.count)"), from: 0, bench.context, events: &events)
            bench.apply(events)
        }
        #expect(try bench.finish(try #require(bench.unfinished.last)) == .removed)
        bench.start()
        let ended = try #require(bench.queue.nextRestore()).restore
        bench.end(ended.id, .completed(count: 0))
        var replayed = PaymentQueue()
        for record in bench.records { try replayed.apply(record) }
        var loaded = PaymentQueue()
        try bench.queue.snapshotItems { item throws(IllegalRecord) in try loaded.load(item) }
        for limit in SharedLimit.allCases {
            #expect(replayed.share(of: limit) == bench.queue.share(of: limit))
            // Closed things are in archive files when a snapshot is written, and these name the users.
            guard limit != .diskBytes else { continue }
            #expect(loaded.share(of: limit) == bench.queue.share(of: limit))
        }
        let bytes = loaded.share(of: .diskBytes)?.held
        #expect(bytes?[1001] == bench.queue.share(of: .diskBytes)?.held[1001])
        #expect(bench.queue.share(of: .unfinishedTransactions)?.held.count == 3)
        #expect(bench.queue.share(of: .namedObservers)?.held == [1000: 1, 1001: 2, 1002: 1])
    }
}
