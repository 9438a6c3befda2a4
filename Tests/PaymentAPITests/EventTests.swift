import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct EventTests {
    private static let subscription = SubscriptionID(3)

    @Test func `an update is one line with the whole transaction`() throws {
        let transaction = try Sample.transaction(.submitted)
        let snapshot = written { $0.transaction(transaction, waitingFor: .store) }
        #expect(
            try line(.transaction(.submitted(key: nil), transaction), waitingFor: .store)
                == #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s3","prev":4,"#
                + #""seq":7,"kind":"transactionsUpdated","time":"2026-01-05T10:00:01.250Z","#
                + #""transactions":[\#(snapshot)]}}"# + "\n")
    }

    @Test func `a removal carries the last snapshot, the reason and who caused it`() throws {
        let transaction = try Sample.transaction(.purchased)
        var snapshot = JSONWriter()
        snapshot.transaction(transaction, waitingFor: nil)
        let last = String(decoding: snapshot.bytes, as: UTF8.self)
        #expect(
            try line(.transaction(.removed(.finished), transaction), origin: Sample.origin)
                == #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s3","prev":4,"#
                + #""seq":7,"kind":"transactionsRemoved","time":"2026-01-05T10:00:01.250Z","#
                + #""transactions":[\#(last)],"reason":"finished","by":{"uid":1000,"#
                + #""client":"shop"}}}"#
                + "\n")
        let alone = try line(.transaction(.removed(.withdrawn), transaction))
        #expect(alone.hasSuffix(#""reason":"withdrawn"}}"# + "\n"))
    }

    @Test func `a login, a move and a logout are changes of the storefront`() throws {
        let german = Session(account: "demo", country: try Sample.country())
        let french = Session(account: "bob", country: try Sample.country("FR"))
        let de = #"{"id":"sf-de","countryCode":"DE"}"#
        let fr = #"{"id":"sf-fr","countryCode":"FR"}"#
        func tail(_ from: Session?, _ to: Session?) throws -> String {
            let line = try line(.sessionChanged(from: from, to: to))
            return String(
                line.split(separator: "000Z\",").last ?? line.suffix(from: line.startIndex))
        }
        #expect(try tail(nil, german).contains(#""from":null,"to":\#(de),"account":"demo"}}"#))
        #expect(try tail(german, french).contains(#""from":\#(de),"to":\#(fr),"account":"bob"}}"#))
        #expect(try tail(french, nil).contains(#""from":\#(fr),"to":null,"account":null}}"#))
    }

    @Test func `the end of a session by the store names the account and the cause`() throws {
        let german = Session(account: "demo", country: try Sample.country())
        let line = try line(.sessionChanged(from: german, to: nil, cause: .sessionEnded))
        #expect(
            line.hasSuffix(
                #""from":{"id":"sf-de","countryCode":"DE"},"to":null,"account":"demo","#
                    + #""cause":"sessionEnded"}}"# + "\n"))
    }

    @Test func `the trace of the call that caused it closes an event`() throws {
        let origin = Origin(
            uid: Sample.origin.uid, client: Sample.origin.client,
            connection: Sample.origin.connection, request: Sample.origin.request, trace: "a-b")
        let transaction = try Sample.transaction(.purchased)
        let removed = try line(.transaction(.removed(.finished), transaction), origin: origin)
        #expect(removed.hasSuffix(#""client":"shop"},"trace":"a-b"}}"# + "\n"))
        let added = try line(.transaction(.added(key: nil), transaction), origin: origin)
        #expect(added.hasSuffix(#"],"trace":"a-b"}}"# + "\n"))
    }

    @Test func `what a restore came upon is an update that says redelivery`() throws {
        let text = try line(.transaction(.redelivered, try Sample.transaction(.restored)))
        #expect(text.contains(#""redelivery":true,"transactions":[{"#))
        #expect(text.contains(#""prev":4,"seq":7,"kind":"transactionsUpdated""#))
    }

    @Test func `a restore ends with a count or one error`() throws {
        let id = RestoreID(Sample.id.value)
        let named = #","restore":"\#(Sample.idText)","#
        let all = try line(.restoreEnded(id, account: "demo", .completed(count: 3)))
        #expect(all.contains(#""kind":"restoreCompleted""#))
        #expect(all.hasSuffix(named + #""count":3}}"# + "\n"))
        let none = try line(.restoreEnded(id, account: "demo", .failed(.serviceUnavailable)))
        #expect(none.contains(#""kind":"restoreFailed""#))
        #expect(none.hasSuffix(named + #""error":{"serviceUnavailable":{}}}}"# + "\n"))
    }

    @Test func `what the store took back, and what it sells, have events`() throws {
        let revocation = Revocation(
            account: "demo", products: ["book", "pass"], orders: [Sample.order, Sample.order])
        let revoked = try line(.entitlementsRevoked(revocation))
        #expect(
            revoked.hasSuffix(
                #","products":["book","pass"],"orders":["\#(Sample.orderText)","#
                    + #""\#(Sample.orderText)"]}}"# + "\n"))
        let changed = try line(.productsChanged(revision: 4))
        #expect(
            changed.hasSuffix(
                #""productsChanged","time":"2026-01-05T10:00:01.250Z","#
                    + #""revision":4}}"# + "\n"))
    }

    @Test func `a question says all that an answer needs`() throws {
        let id = QuestionID(Sample.id.value)
        let product = RecordedProduct(
            number: 1, product: try Sample.coins(), country: try Sample.country())
        let question = Question(
            id: id, kind: .shouldContinue, account: "demo", transaction: Sample.id, cause: .price,
            product: product, country: try Sample.country(), fallback: true, patienceMs: 60_000,
            openedAt: Sample.created)
        let record = record(.questionOpened(question))
        let open = try JSONValue(parsing: written { $0.listedEvent(record, waitingFor: nil) })
        #expect(open["question"]?.stringValue == Sample.idText)
        #expect(open["type"] == "shouldContinue")
        #expect(open["cause"] == "price")
        #expect(open["product"]?["productIdentifier"] == "coins.100")
        #expect(open["price"]?["amount"] == "0.99")
        #expect(open["storefront"]?["countryCode"] == "DE")
        #expect(open["fallback"] == true)
        #expect(open["deadline"] == .some(.null))
        let timed = written {
            $0.listedEvent(record, waitingFor: nil, deadline: Sample.updated)
        }
        #expect(timed.hasSuffix(#""deadline":"2026-01-05T10:00:01.250Z"}"#))
        let login = Question(id: id, kind: .login, patienceMs: 1, openedAt: Sample.created)
        #expect(
            try line(.questionOpened(login)).hasSuffix(
                #""question":"\#(Sample.idText)","type":"login","fallback":false,"#
                    + #""deadline":null}}"# + "\n"))
    }

    @Test func `a closed question says who answered, or else why it ended`() throws {
        let id = QuestionID(Sample.id.value)
        func tail(_ value: Bool?, _ reason: QuestionClosing.Reason, _ origin: Origin? = nil) throws
            -> String
        {
            let closing = QuestionClosing(
                id: id, account: nil, value: value, reason: reason,
                note: origin == nil ? nil : "too dear")
            let text = try line(.questionClosed(closing), origin: origin)
            return String(text.drop { $0 != "Z" }.dropFirst(3))
        }
        let named = #""question":"\#(Sample.idText)","#
        #expect(
            try tail(false, .answered, Sample.origin)
                == named + #""value":false,"by":{"uid":1000,"client":"shop"},"note":"too dear"}}"#
                + "\n")
        #expect(try tail(true, .timedOut) == named + #""value":true,"reason":"timedOut"}}"# + "\n")
        #expect(
            try tail(nil, .sessionChanged)
                == named + #""value":null,"reason":"sessionChanged"}}"# + "\n")
    }

    @Test func `what differs per subscriber comes first and the tail is shared`() throws {
        let transaction = try Sample.transaction(.purchased)
        let record = record(.transaction(.purchased, transaction))
        let tail = written { $0.eventTail(record, waitingFor: nil) }
        for (number, previous) in [(1, 0), (12, 6)] as [(UInt64, UInt64)] {
            let head = written {
                $0.eventHead(subscription: SubscriptionID(number), previous: previous)
            }
            let params = try JSONValue(parsing: head + tail)["params"]
            #expect(params?["subscription"]?.stringValue == "s\(number)")
            #expect(params?["prev"]?.intValue == Int64(previous))
            #expect(params?["seq"] == 7)
        }
    }

    @Test func `a listed event has the same members without subscription and prev`() throws {
        let record = record(.transaction(.purchased, try Sample.transaction(.purchased)))
        let listed = written { $0.listedEvent(record, waitingFor: nil) }
        let tail = written { $0.eventTail(record, waitingFor: nil) }
        #expect("{" + tail.dropLast(2) == listed)
    }

    @Test func `a redelivery is a batch at one position`() throws {
        let first = try Sample.transaction(.purchased)
        let second = try Sample.transaction(.waiting)
        let text = written { writer in
            writer.beginRedelivery(
                subscription: Self.subscription, position: 9, time: Sample.updated)
            writer.redelivered(first, waitingFor: nil)
            writer.redelivered(second, waitingFor: .login)
            writer.endRedelivery()
        }
        #expect(
            text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s3","prev":9,"#
                    + #""seq":9,"#
                    + #""kind":"transactionsUpdated","time":"2026-01-05T10:00:01.250Z","#
                    + #""redelivery":true,"#
                    + #""transactions":[{"#))
        #expect(text.hasSuffix("\n"))
        let transactions = try JSONValue(parsing: text)["params"]?["transactions"]?.arrayValue
        #expect(transactions?.count == 2)
        #expect(transactions?.last?["waitingFor"] == "login")
    }

    @Test func `notices are lines in a fixed order of members`() {
        let s3 = Self.subscription
        let begin = #"{"jsonrpc":"2.0","method":"#
        #expect(
            written { $0.caughtUp(subscription: s3, position: 5) }
                == begin + #""caughtUp","params":{"subscription":"s3","seq":5}}"# + "\n")
        #expect(
            written { $0.heartbeat(subscription: s3, position: 5) }
                == begin + #""heartbeat","params":{"subscription":"s3","seq":5}}"# + "\n")
        #expect(
            written { $0.gap(subscription: s3, from: 2, to: 4, reason: .trimmed) }
                == begin
                + #""gap","params":{"subscription":"s3","from":2,"to":4,"reason":"trimmed"}}"#
                + "\n")
        #expect(
            written { $0.ended(subscription: s3, reason: .trimmed, last: 4) }
                == begin + #""ended","params":{"subscription":"s3","reason":"trimmed","last":4}}"#
                + "\n")
        #expect(
            written { $0.closing(reason: .shutdown, graceMs: 500, head: 8) }
                == begin + #""closing","params":{"reason":"shutdown","graceMs":500,"head":8}}"#
                + "\n")
    }

    @Test func `the log has records that are no events`() throws {
        let transaction = try Sample.transaction(.completing)
        let product = transaction.payment.product
        #expect(EventKind(of: .transaction(.completing, transaction)) == nil)
        #expect(EventKind(of: .started(incarnation: 2)) == nil)
        #expect(EventKind(of: .productRecorded(product)) == nil)
        #expect(EventKind(of: .countryAssumed(nil)) == nil)
        #expect(EventKind(of: .forgotten(before: Sample.created)) == nil)
    }

    @Test func `every other record has a kind`() throws {
        let transaction = try Sample.transaction(.purchased)
        let changes: [TransactionChange] = [
            .added(key: nil), .submitted(key: nil), .refreshed, .deferred, .purchased, .failed,
            .restored,
        ]
        for change in changes {
            #expect(EventKind(of: .transaction(change, transaction)) == .transactionsUpdated)
        }
        for reason in RemovalReason.allCases {
            let event = Event.transaction(.removed(reason), transaction)
            #expect(EventKind(of: event) == .transactionsRemoved)
        }
        #expect(EventKind(of: .sessionChanged(from: nil, to: nil)) == .storefrontChanged)
    }

    @Test func `the kinds are those of the contract`() {
        #expect(
            EventKind.allCases.map(\.rawValue) == [
                "transactionsUpdated", "transactionsRemoved", "restoreCompleted", "restoreFailed",
                "storefrontChanged", "entitlementsRevoked", "productsChanged", "questionOpened",
                "questionClosed",
            ])
    }

    private func record(_ event: Event, origin: Origin? = nil) -> Record {
        Record(sequence: 7, time: Sample.updated, origin: origin, event: event)
    }

    private func line(
        _ event: Event, waitingFor: WaitingFor? = nil, origin: Origin? = nil
    ) throws -> String {
        let record = record(event, origin: origin)
        return written { writer in
            writer.eventHead(subscription: Self.subscription, previous: 4)
            writer.eventTail(record, waitingFor: waitingFor)
        }
    }
}
