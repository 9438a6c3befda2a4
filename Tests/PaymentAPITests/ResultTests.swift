import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct ResultTests {
    @Test func `add answers in a fixed order of members`() {
        var result = AddPayment.Result(
            transaction: Sample.id, state: .purchasing, waitingFor: .login, sequence: 12,
            isDuplicate: false)
        #expect(
            written(result)
                == #"{"transaction":"\#(Sample.idText)","state":"purchasing","waitingFor":"login","#
                + #""seq":12,"duplicate":false}"#
        )
        result.waitingFor = nil
        result.state = .purchased
        result.isDuplicate = true
        result.removed = Finish(time: Sample.updated, reason: .finished, origin: nil)
        #expect(
            written(result)
                == #"{"transaction":"\#(Sample.idText)","state":"purchased","seq":12,"#
                + #""duplicate":true,"#
                + #""removed":{"reason":"finished","at":"2026-01-05T10:00:01.250Z"}}"#)
    }

    @Test(
        arguments: [
            (FinishDisposition.removed, "removed"), (.completing, "completing"),
            (.ignoredInFlight, "ignoredInFlight"), (.alreadyFinished, "alreadyFinished"),
        ])
    func `finish says what it came to`(disposition: FinishDisposition, word: String) {
        let result = FinishTransaction.Result(
            transaction: Sample.id, disposition: disposition, sequence: 3)
        #expect(
            written(result)
                == #"{"transaction":"\#(Sample.idText)","disposition":"\#(word)","seq":3}"#)
    }

    @Test func `a page of transactions names the next one unless it is the last`() throws {
        let entry = Transactions.Result.Entry(
            transaction: try Sample.transaction(.purchased), waitingFor: nil)
        let last = Transactions.Result(entries: [], sequence: 4)
        #expect(written(last) == #"{"transactions":[],"seq":4}"#)
        let page = Transactions.Result(entries: [entry, entry], sequence: 4, next: "p2")
        let value = page.jsonValue
        #expect(value["transactions"]?.arrayValue?.count == 2)
        #expect(written(page).hasSuffix(#"],"seq":4,"next":"p2"}"#))
    }

    @Test func `wait says whether the goal was reached`() throws {
        let entry = Transactions.Result.Entry(
            transaction: try Sample.transaction(.waiting), waitingFor: .store)
        let late = WaitForTransaction.Result(entry: entry, isReached: false, sequence: 4)
        #expect(written(late).hasSuffix(#","reached":false,"seq":4}"#))
        #expect(late.jsonValue["transaction"]?["waitingFor"] == "store")
    }

    @Test func `subscribe and unsubscribe speak of the same name`() {
        let result = Subscribe.Result(
            subscription: SubscriptionID(4), epoch: "e1", oldest: 1, head: 9)
        #expect(written(result) == #"{"subscription":"s4","epoch":"e1","oldest":1,"head":9}"#)
        #expect(written(Unsubscribe.Result(last: 9)) == #"{"unsubscribed":true,"last":9}"#)
        #expect(written(Unsubscribe.Result(last: nil)) == #"{"unsubscribed":false}"#)
    }

    @Test func `a page of events says where to go on`() throws {
        let transaction = try Sample.transaction(.purchased)
        let record = Record(
            sequence: 5, time: Sample.updated, origin: nil,
            event: .transaction(.purchased, transaction))
        let page = Events.Result(
            entries: [.init(record: record, waitingFor: nil)], next: 5, head: 9, epoch: "e1")
        #expect(written(page).hasPrefix(#"{"events":[{"seq":5,"kind":"transactionsUpdated","#))
        #expect(written(page).hasSuffix(#"}]}],"next":5,"head":9,"epoch":"e1"}"#))
    }

    @Test func `session results name account and storefront, or null`() throws {
        let session = Session(account: "demo", country: try Sample.country())
        let place = #"{"id":"sf-de","countryCode":"DE"}"#
        #expect(
            written(Login.Result(session: session, sequence: 2))
                == #"{"account":"demo","storefront":\#(place),"seq":2}"#)
        #expect(written(Logout.Result(sequence: 3)) == #"{"seq":3}"#)
        #expect(
            written(StorefrontMethod.Result(session: session, assumed: nil))
                == #"{"storefront":\#(place),"account":"demo"}"#)
        #expect(
            written(StorefrontMethod.Result(session: nil, assumed: session.country))
                == #"{"storefront":null,"account":null,"assumed":"DE"}"#)
    }

    @Test func `products tells what is sold from what is not`() throws {
        let result = Products.Result(
            products: [try Sample.coins()], invalid: ["nope"], country: try Sample.country(),
            next: "2")
        let text = written(result)
        #expect(text.hasPrefix(#"{"products":[{"productIdentifier":"coins.100","#))
        #expect(
            text.hasSuffix(
                #"],"invalid":["nope"],"storefront":{"id":"sf-de","countryCode":"DE"},"next":"2"}"#)
        )
    }

    @Test func `small results are what they promise`() {
        #expect(written(Ping.Result()) == #"{"pong":true}"#)
        #expect(written(Ping.Result(payload: Array("1.0".utf8))) == #"{"pong":1.0}"#)
        #expect(written(Cancel.Result(isCancelled: false)) == #"{"cancelled":false}"#)
        #expect(written(Check.Result()) == #"{"ok":true}"#)
        #expect(written(HelpMethod.Result(text: "a\n")) == #"{"text":"a\n"}"#)
    }

    @Test func `hello publishes every limit`() throws {
        let result = Hello.Result(
            epoch: "e1", oldest: 1, head: 2, uid: 0, gid: 5, roles: [.buy, .observe],
            features: ["test"], limits: Limits())
        let value = result.jsonValue
        #expect(value["server"] == ["name": "payqueued", "version": .string(Version.current)])
        #expect(value["api"] == 1)
        #expect(value["peer"] == ["uid": 0, "gid": 5])
        #expect(value["roles"] == ["observe", "buy"])
        let limits = try #require(value["limits"]?.members)
        #expect(limits.map(\.name) == Limits().named.map(\.name))
        #expect(value["limits"]?["requestLineBytes"] == 65536)
    }

    @Test func `observers shows filters only where there are some`() {
        let all = Observers.Result.Entry.Live(
            subscription: SubscriptionID(1), uid: 7, client: nil, isPassive: true,
            filter: EventFilter())
        #expect(
            written(Observers.Result(entries: [.init(live: all, lag: 3)]))
                == #"{"observers":[{"subscription":"s1","uid":7,"passive":true,"lag":3,"#
                + #""connected":true}]}"#
        )
        var some = all
        some.client = "shop"
        some.filter = EventFilter(
            kinds: [.questionOpened, .transactionsRemoved], products: ["b", "a"])
        some.agents = [.payment, .login]
        let entry = Observers.Result.Entry(live: some, name: "books", acknowledged: 2, lag: 3)
        #expect(
            written(Observers.Result(entries: [entry]))
                == #"{"observers":[{"subscription":"s1","uid":7,"client":"shop","name":"books","#
                + #""passive":true,"kinds":["transactionsRemoved","questionOpened"],"#
                + #""products":["a","b"],"agent":["login","payment"],"acked":2,"lag":3,"#
                + #""connected":true}]}"#
        )
    }

    @Test func `a durable name whose observer is away says how far it has got`() {
        let away = Observers.Result.Entry(live: nil, name: "books", acknowledged: 4, lag: 5)
        #expect(
            written(Observers.Result(entries: [away]))
                == #"{"observers":[{"name":"books","acked":4,"lag":5,"connected":false}]}"#)
        #expect(written(Ack.Result(acknowledged: 6)) == #"{"acked":6}"#)
    }

    @Test func `restore answers in a fixed order of members`() {
        let result = RestorePurchases.Result(
            restore: Sample.restore, state: .running, waitingFor: .login, sequence: 12,
            isDuplicate: true)
        #expect(
            written(result)
                == #"{"restore":"\#(Sample.restoreText)","state":"running","#
                + #""waitingFor":"login","seq":12,"duplicate":true}"#)
    }

    @Test func `wait shows how a restore ended`() {
        func text(_ outcome: RestoreOutcome?, _ waitingFor: WaitingFor? = nil) -> String {
            let record = RestoreRecord(
                id: Sample.restore, outcome: outcome, waitingFor: waitingFor)
            return written(
                WaitForTransaction.Result(
                    record: .restore(record), isReached: outcome != nil, sequence: 4))
        }
        let head = #"{"restore":{"id":"\#(Sample.restoreText)","state":"#
        #expect(
            text(.completed(count: 2))
                == head + #""completed","count":2},"reached":true,"seq":4}"#)
        #expect(
            text(.failed(.connectionError))
                == head + #""failed","error":{"connectionError":{}}},"reached":true,"seq":4}"#)
        #expect(
            text(nil, .observer)
                == head + #""running","waitingFor":"observer"},"reached":false,"seq":4}"#)
    }

    @Test func `an entitlement says what was bought, where and until when`() throws {
        var purchase = StorePurchase(
            order: Sample.order, original: Sample.order, product: try Sample.coins(),
            country: try Sample.country(), purchasedAt: Sample.created)
        let product = written { $0.product(purchase.product) }
        let head =
            #"{"entitlements":[{"transactionIdentifier":"\#(Sample.orderText)","#
            + #""originalTransactionIdentifier":"\#(Sample.orderText)","#
        #expect(
            written(Entitlements.Result(purchases: [purchase]))
                == head
                + #""productIdentifier":"coins.100","product":\#(product),"#
                + #""storefront":{"id":"sf-de","countryCode":"DE"},"#
                + #""charged":{"amount":"0.99","currencyCode":"EUR"},"renewal":false,"#
                + #""completed":false,"purchasedAt":"2026-01-05T10:00:00.000Z"}]}"#)
        purchase.transaction = Sample.id
        purchase.appAccountToken = "u7"
        purchase.expiresAt = Sample.updated
        let value = Entitlements.Result(purchases: [purchase]).jsonValue["entitlements"]?[0]
        #expect(value?["transaction"] == .string(Sample.idText))
        #expect(value?["appAccountToken"] == "u7")
        #expect(value?["expiresAt"] == "2026-01-05T10:00:01.250Z")
    }

    @Test func `a signed history repeats what its header says`() throws {
        let history = SignedHistory(jws: "a.b.c", keyID: "one", algorithm: "RS256")
        #expect(
            written(SignedHistoryMethod.Result(history: history))
                == #"{"jws":"a.b.c","kid":"one","alg":"RS256"}"#)
        let page = SignedHistory(jws: "a.b.c", keyID: "one", algorithm: "RS256", next: "p\"2")
        #expect(
            written(SignedHistoryMethod.Result(history: page))
                == #"{"jws":"a.b.c","kid":"one","alg":"RS256","next":"p\"2"}"#)
    }

    @Test func `keys are a JSON Web Key Set`() throws {
        let keys = [
            StoreKey(
                id: "one", algorithm: "RS256", material: .rsa(modulus: "AQ", exponent: "AQAB")),
            StoreKey(id: "two", algorithm: "ES256", material: .p256(x: "Ag", y: "Aw")),
        ]
        #expect(
            written(Keys.Result(keys: keys))
                == #"{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"one","n":"AQ","#
                + #""e":"AQAB"},{"kty":"EC","use":"sig","alg":"ES256","kid":"two","#
                + #""crv":"P-256","x":"Ag","y":"Aw"}]}"#)
    }

    @Test(arguments: [(1000, "1"), (1500, "1.5"), (50, "0.05"), (1001, "1.001"), (0, "0")])
    func `delegate shows seconds digit by digit`(milliseconds: Int64, text: String) {
        let policy = GatePolicy(mode: .ask, timeoutMs: milliseconds, fallback: true)
        #expect(
            written(Delegate.Result(policy: policy, sequence: 5))
                == #"{"mode":"ask","timeout":\#(text),"fallback":true,"afterLogin":"continue","#
                + #""seq":5}"#)
    }

    @Test func `a question shows what would be charged`() throws {
        let recorded = RecordedProduct(
            number: 1, product: try Sample.coins(), country: try Sample.country())
        let question = Question(
            id: Sample.question, kind: .shouldContinue, account: "demo", transaction: Sample.id,
            cause: .price, product: recorded, country: try Sample.country(), fallback: true,
            patienceMs: 60_000, openedAt: Sample.created)
        let value = Questions.Result(entries: [.init(question: question, deadline: Sample.updated)])
            .jsonValue["questions"]?[0]
        let names = try #require(value?.members).map(\.name)
        #expect(
            names == [
                "question", "type", "transaction", "cause", "product", "price", "storefront",
                "fallback", "deadline", "openedAt",
            ])
        #expect(value?["price"]?["amount"] == "0.99")
        #expect(value?["deadline"] == "2026-01-05T10:00:01.250Z")
        let login = Question(
            id: Sample.question, kind: .login, patienceMs: 1, openedAt: Sample.created)
        #expect(
            written(Questions.Result(entries: [.init(question: login, deadline: nil)]))
                == #"{"questions":[{"question":"\#(Sample.questionText)","type":"login","#
                + #""fallback":false,"openedAt":"2026-01-05T10:00:00.000Z"}]}"#)
    }

    @Test func `small results of the gate and of the daemon are what they promise`() {
        #expect(written(AnswerQuestion.Result(sequence: 9)) == #"{"accepted":true,"seq":9}"#)
        #expect(written(Drain.Result(state: .draining)) == #"{"state":"draining"}"#)
        #expect(written(Reload.Result(changed: ["roles"])) == #"{"changed":["roles"]}"#)
        #expect(
            written(Backup.Result(path: "/b", sequence: 6, bytes: 70))
                == #"{"path":"/b","seq":6,"bytes":70}"#)
        #expect(
            written(Decide.Result(transaction: Sample.id, state: .failed, sequence: 3))
                == #"{"transaction":"\#(Sample.idText)","state":"failed","seq":3}"#)
        let text = "# EOF\n"
        #expect(MetricsMethod.Result(text: text).jsonValue["text"] == .string(text))
    }
}
