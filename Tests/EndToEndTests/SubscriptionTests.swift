import PaymentTesting
import Testing

/// Subscriptions are cursors into a log that loses nothing.
@Suite("Subscriptions over the socket", .ownThreads)
struct SubscriptionTests {
    @Test("Subscribing redelivers everything unfinished at once and then says caughtUp")
    func redelivery() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            var ids: [String] = []
            for number in 1...20 {
                let added = try line.call("add", #"{"product":"coins.100","key":"r\#(number)"}"#)
                ids.append(try #require(added["transaction"]?.string))
            }
            try line.call("subscribe", #"{"passive":true}"#)
            let shown = try line.notifications { $0.isCaughtUp }
            let events = Array(shown.dropLast())
            #expect(events.allSatisfy { $0["params"]?["redelivery"]?.bool == true })
            #expect(events.allSatisfy { $0.seq == $0["params"]?["prev"]?.int })
            let shownIDs = events.flatMap(\.transactions).compactMap { $0["id"]?.string }
            #expect(shownIDs == ids)
            #expect(shown.last?.seq == events.last?.seq)
        }
    }

    @Test("A worker that sends each finish before it reads on gets to the end of a long backlog")
    func requestsBetweenEvents() throws {
        // The kernel takes some hundred requests; the worker could not send more if none were read.
        let small = #"{"limits":{"outputBufferBytes":131072}}"#
        try Daemon.run(
            configure: {
                $0.flags += ["--config", try $0.place.write(small, to: "payqueued.json")]
            }
        ) { daemon in
            let count = 1500
            let buyer = try daemon.connect()
            for _ in 0..<(count / 100) {
                _ = try buyer.askAll(
                    [(method: String, params: String)](
                        repeating: ("add", #"{"product":"coins.100"}"#), count: 100))
            }
            let worker = try daemon.connect()
            try worker.call("subscribe")
            var removed = 0
            while removed < count {
                let event = try worker.next()
                if event["params"]?["kind"]?.string == "transactionsRemoved" {
                    removed += event.transactions.count
                }
                for bought in event.transactions
                where bought["transactionState"]?.string == "purchased" {
                    let id = try #require(bought["id"]?.string)
                    guard event["params"]?["kind"]?.string == "transactionsUpdated" else {
                        continue
                    }
                    worker.type(
                        #"{"jsonrpc":"2.0","id":9,"method":"finish","params":{"transaction":"\#(id)"}}"#
                    )
                }
            }
        }
    }

    @Test("A worker that stored its cursor and died before finish gets its goods again")
    func cursorPastTheGoods() throws {
        try Daemon.run { daemon in
            let worker = try daemon.connect()
            try worker.call("subscribe")
            let added = try worker.call("add", #"{"product":"coins.100","key":"w"}"#)
            let id = added["transaction"]?.string
            let cursor = try worker.notifications { $0.shows(id, "purchased") }.last?.seq ?? 0
            try daemon.killHard()
            try daemon.start()
            let returned = try daemon.connect()
            try returned.call("subscribe", #"{"after":\#(cursor)}"#)
            let shown = try returned.notifications { $0.isCaughtUp }
            let again = shown.filter { $0["params"]?["redelivery"]?.bool == true }
            #expect(again.flatMap(\.transactions).map { $0["id"]?.string } == [id])
        }
    }

    @Test(
        "A subscription that starts anywhere in a stream of 10,000 records misses and doubles none")
    func seam() throws {
        // Those who subscribe in the middle are not read before the stream has ended, which may take longer
        // than the daemon bears with somebody who takes nothing.
        let patient = #"{"limits":{"stallSeconds":3600}}"#
        try Daemon.run(configure: {
            $0.flags += ["--config", try $0.place.write(patient, to: "payqueued.json")]
        }) { daemon in
            let whole = try daemon.connect()
            try whole.call("subscribe", #"{"after":"start"}"#)
            let purchases = 2500
            let buyers = try Buyers(daemon, purchases: purchases, connections: 4)
            var readers: [(after: Int, line: Line)] = []
            var all: [JSON] = []
            var head = 0
            var silence = 0
            var removed = 0
            // The last event of each is its removal, which the reply to its finish does not wait for.
            while !buyers.isDone || head < buyers.lastPosition || removed < purchases {
                let event: JSON
                do {
                    event = try whole.notification(within: 1)
                    silence = 0
                } catch Line.End.silent where silence < 60 {
                    // The last event may be here before its buyer knows that it is done.
                    silence += 1
                    continue
                }
                all.append(event)
                head = max(head, event.seq ?? 0)
                if event.kind == "transactionsRemoved" { removed += event.transactions.count }
                if all.count.isMultiple(of: 1500) {
                    // In the middle of the stream, from a place in the middle of what was.
                    let after = head / 2
                    let line = try daemon.connect()
                    line.type(
                        #"{"jsonrpc":"2.0","id":0,"method":"subscribe","#
                            + #""params":{"after":\#(after)}}"#)
                    readers.append((after, line))
                }
            }
            let records = Self.records(all)
            #expect(head >= 10_000)
            #expect(Self.isUnbroken(all, after: 0))
            #expect(!readers.isEmpty)
            for (after, line) in readers {
                #expect(try line.next()["id"]?.int == 0)
                var hasCaughtUp = false
                var reached = 0
                let seen = try line.notifications(within: 60) { event in
                    hasCaughtUp = hasCaughtUp || event.isCaughtUp
                    reached = max(reached, event.isCaughtUp ? 0 : event.seq ?? 0)
                    return hasCaughtUp && reached >= head
                }
                #expect(Self.isUnbroken(seen, after: after))
                #expect(Self.records(seen) == records.filter { $0 > after })
                #expect(seen.count { $0.isCaughtUp } == 1)
            }
            try buyers.finish()
        }
    }

    @Test("A cursor ahead of the log, of another epoch or of nonsense is refused by its own code")
    func badCursors() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            let epoch = try line.call("hello")["epoch"]?.string ?? ""
            #expect(try Self.code(line, #"{"after":999999}"#) == 1302)
            #expect(try Self.code(line, #"{"after":0,"epoch":"not-\#(epoch)"}"#) == 1303)
            #expect(try Self.code(line, #"{"after":"yesterday"}"#) == -32602)
            #expect(try Self.code(line, #"{"after":-1}"#) == -32602)
            try line.call("subscribe", #"{"after":0,"epoch":"\#(epoch)"}"#)
        }
    }

    @Test("The pull form reads the same records page by page")
    func pull() throws {
        try Daemon.run { daemon in
            let line = try daemon.connect()
            try line.call("subscribe")
            for number in 1...10 {
                let added = try line.call("add", #"{"product":"coins.100","key":"p\#(number)"}"#)
                _ = try line.notifications { $0.shows(added["transaction"]?.string, "purchased") }
            }
            var pulled: [Int] = []
            var after = 0
            while true {
                let page = try line.call("events", #"{"after":\#(after),"limit":3}"#)
                pulled += (page["events"]?.array ?? []).compactMap { $0["seq"]?.int }
                let next = try #require(page["next"]?.int)
                guard next > after else { break }
                after = next
            }
            let other = try daemon.connect()
            try other.call("subscribe", #"{"after":"start","passive":true}"#)
            let pushed = try other.notifications { $0.isCaughtUp }
            #expect(pulled == Self.records(pushed))
            #expect(pulled == pulled.sorted())
        }
    }

    private static func code(_ line: Line, _ params: String) throws -> Int? {
        try line.ask("subscribe", params)["error"]?["code"]?.int
    }

    /// The positions of the records, redeliveries left out.
    private static func records(_ events: [JSON]) -> [Int] {
        events.filter { $0["method"]?.string == "event" && $0["params"]?["redelivery"] == nil }
            .compactMap(\.seq)
    }

    /// Whether each record links to the one before it, the first to the cursor.
    private static func isUnbroken(_ events: [JSON], after: Int) -> Bool {
        var last = after
        for event in events where event["method"]?.string == "event" {
            guard event["params"]?["redelivery"] == nil else { continue }
            guard event["params"]?["prev"]?.int == last, let seq = event.seq, seq > last else {
                return false
            }
            last = seq
        }
        return true
    }
}
