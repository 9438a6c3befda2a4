import Foundation
import Testing

/// Purchases, a worker that unlocks them, and a daemon that is killed every second meanwhile.
final class WorkerWorld {
    private let language: ClientLanguage
    private let program: ClientProgram
    private let daemon: Daemon
    private let wanted: Int
    /// What each key was answered with.
    private var transactions: [String: String] = [:]
    private var worker: Child?
    private(set) var kills = 0
    private var lastProgress = ContinuousClock.now
    /// How long the daemon lives, in seconds. A machine too busy for anything to be unlocked in that time
    /// makes it longer, or nothing would ever be.
    private var life = 1.0
    private var lastUnlocked = 0

    /// As many may wait for the worker; a shop that is never down does not pile up all of its sales.
    private static let outstanding = 200

    init(_ language: ClientLanguage, purchases: Int) throws {
        self.language = language
        wanted = purchases
        daemon = try Daemon()
        program = ClientProgram(language: language, daemon: daemon)
    }

    /// Whether everything was bought and unlocked.
    var isDone: Bool { transactions.count == wanted && unlocked.count >= wanted }

    /// What keeps it from getting done; nil while it moves.
    var trouble: String? {
        if let ending = worker?.poll() {
            return "the worker ended with \(ending): \(worker?.standardError.suffix(2000) ?? "")"
        }
        guard ContinuousClock.now - lastProgress > .seconds(60) else { return nil }
        return "nothing was unlocked for a minute; \(lastUnlocked) of \(wanted) are: "
            + "\(worker?.standardError.suffix(2000) ?? "")"
    }

    /// Starts daemon and worker.
    func start() throws {
        try daemon.start()
        worker = try program.start("observer")
    }

    /// Lets the daemon live for about a second, sells meanwhile, kills it and starts it again.
    func second() throws {
        let end = ContinuousClock.now + .seconds(life)
        sell(until: end)
        while ContinuousClock.now < end { usleep(5000) }
        try daemon.killHard()
        kills += 1
        try daemon.start()
        let now = unlocked.count
        life = now > lastUnlocked ? 1 : min(20, life * 1.5)
        if now > lastUnlocked { (lastUnlocked, lastProgress) = (now, .now) }
    }

    /// Checks what came of it all, on a daemon that is left alone at last.
    func finish() throws {
        let line = try daemon.connect()
        let left = try eventually(within: 60) {
            let left = try line.call("transactions")["transactions"]?.array ?? []
            return left.isEmpty ? left : nil
        }
        #expect(left != nil, "something stays unfinished")
        let ids = unlocked
        #expect(Set(ids).count == ids.count, "something was unlocked twice")
        #expect(Set(transactions.values).count == wanted, "two keys name one transaction")
        let orders = try line.everyOrder()
        let bought = orders.compactMap { $0["order"]?.string }
        #expect(Set(ids) == Set(bought), "others were unlocked than were bought")
        #expect(orders.count == wanted, "\(orders.count) orders for \(wanted) purchases")
        worker?.send(SIGTERM)
        _ = try worker?.wait()
        try daemon.stop()
    }

    /// The orders in the application's file of goods, as often as they stand there.
    private var unlocked: [String] {
        let text = program.goods
        guard language == .python || language == .pythonSync || language == .node else {
            return text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
                .map(String.init)
        }
        return (try? JSON(text))?.object.map { Array($0.keys) } ?? []
    }

    /// Adds purchases under keys until the time is over. What was not answered is asked again with
    /// the same key after the next start.
    private func sell(until end: ContinuousClock.Instant) {
        guard let line = try? daemon.connect() else { return }
        var room = Self.outstanding - (transactions.count - lastUnlocked)
        while ContinuousClock.now < end {
            let open = (0..<wanted).lazy.map { "key-\($0)" }
                .filter { self.transactions[$0] == nil }
            let keys = Array(open.prefix(min(20, max(0, room))))
            guard !keys.isEmpty else { return }
            let calls = keys.map {
                (method: "add", params: #"{"product":"coins.100","key":"\#($0)"}"#)
            }
            guard let answers = try? line.askAll(calls) else { return }
            for (key, answer) in zip(keys, answers) {
                transactions[key] = answer["result"]?["transaction"]?.string
            }
            room -= keys.count
        }
    }
}
