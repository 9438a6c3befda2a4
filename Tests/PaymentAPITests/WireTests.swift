import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct WireTests {
    @Test func `the words of a failed restore are those that were released`() {
        #expect(
            RestoreFailure.allCases.map(\.rawValue) == [
                "cancelled", "connectionError", "appNotRegistered", "serviceUnavailable",
                "internalError",
            ])
    }

    private static let coins =
        #"{"productIdentifier":"coins.100","type":"consumable","localizedTitle":"100 coins","#
        + #""localizedDescription":"A handful","price":{"value":0.99,"amount":"0.99","#
        + #""currencyCode":"EUR"}}"#
    private static let place = #""storefront":{"id":"sf-de","countryCode":"DE"}"#
    private static let times =
        #""revision":2,"createdAt":"2026-01-05T10:00:00.000Z","#
        + #""updatedAt":"2026-01-05T10:00:01.250Z""#

    @Test func `a waiting transaction says what it waits for`() throws {
        let transaction = try Sample.transaction(
            .waiting, token: "user \"7\"", origin: Sample.origin)
        #expect(
            written { $0.transaction(transaction, waitingFor: .observer) }
                == #"{"id":"\#(Sample.idText)","payment":{"product":\#(Self.coins),"#
                + #""appAccountToken":"user \"7\""},"#
                + #""transactionState":"purchasing",\#(Self.place),"#
                + #"\#(Self.times),"waitingFor":"observer","reason":"purchase","by":{"uid":1000,"#
                + #""client":"shop"}}"#
        )
    }

    @Test func `a purchased transaction has its order and waits for nothing`() throws {
        let transaction = try Sample.transaction(.purchased, order: Sample.order)
        #expect(
            written { $0.transaction(transaction, waitingFor: .store) }
                == #"{"id":"\#(Sample.idText)","transactionIdentifier":"\#(Sample.orderText)","#
                + #""originalTransactionIdentifier":"\#(Sample.orderText)","#
                + #""payment":{"product":\#(Self.coins)},"#
                + #""transactionState":"purchased",\#(Self.place),\#(Self.times),"#
                + #""reason":"purchase"}"#
        )
    }

    @Test func `a completing transaction is purchased and says so`() throws {
        let value = try value(of: .completing)
        #expect(value["transactionState"] == "purchased")
        #expect(value["completing"] == true)
        #expect(try self.value(of: .purchased)["completing"] == nil)
    }

    @Test(
        arguments: [
            (PaymentFailure(.cancelled), #"{"cancelled":{}}"#, nil),
            (.declined, #"{"internalError":{}}"#, "declined"),
            (PaymentFailure(.presentationFailed), #"{"presentationFailed":{}}"#, nil),
            (.productNotAvailable, #"{"internalError":{}}"#, "productNotAvailable"),
        ] as [(PaymentFailure, String, String?)])
    func `a failed transaction has one case name with an empty object`(
        failure: PaymentFailure, error: String, reason: String?
    ) throws {
        let value = try value(of: .failed(failure))
        #expect(value["transactionState"] == "failed")
        #expect(value["error"]?.jsonText() == error)
        #expect(value["failureReason"]?.stringValue == reason)
    }

    @Test func `error and failureReason appear only while failed`() throws {
        for state in [TransactionState.waiting, .submitted, .deferred, .purchased, .restored] {
            let value = try value(of: state)
            #expect(value["error"] == nil && value["failureReason"] == nil)
        }
    }

    @Test func `the members of a failed transaction keep their order`() throws {
        let names = try value(of: .failed(.declined)).members?.map(\.name)
        #expect(
            names == [
                "id", "payment", "transactionState", "storefront", "error", "revision",
                "createdAt", "updatedAt", "failureReason", "reason",
            ])
    }

    @Test func `a finished transaction says when, why and who`() throws {
        let transaction = try Sample.transaction(.completing, origin: Sample.origin)
        let other = Origin(uid: 7, connection: 1, request: 1)
        let finish = Finish(time: Sample.updated, reason: .finished, origin: other)
        let text = written { $0.transaction(transaction, waitingFor: nil, finish: finish) }
        #expect(
            text.hasSuffix(
                #""reason":"purchase","by":{"uid":7},"finishedAt":"2026-01-05T10:00:01.250Z","#
                    + #""removalReason":"finished"}"#
            ))
        let nobody = Finish(time: Sample.updated, reason: .deleted, origin: nil)
        let silent = written { $0.transaction(transaction, waitingFor: nil, finish: nobody) }
        #expect(!silent.contains("\"by\""))
    }

    @Test(
        arguments: [
            (TransactionState.waiting, "purchasing"), (.submitted, "purchasing"),
            (.deferred, "purchasing"), (.purchased, "purchased"), (.completing, "purchased"),
            (.restored, "restored"), (.failed(.declined), "failed"),
        ])
    func `clients see four states`(state: TransactionState, word: String) throws {
        #expect(try value(of: state)["transactionState"]?.stringValue == word)
    }

    @Test func `a subscription shows its period, its group and its offers`() throws {
        var product = try Sample.coins()
        product.type = .autoRenewableSubscription
        product.iconURL = "https://example.org/a/b.png"
        product.subscriptionPeriod = SubscriptionPeriod(unit: .month, numberOfUnits: 3)
        product.subscriptionGroupIdentifier = "pro"
        let week = SubscriptionPeriod(unit: .week, numberOfUnits: 1)
        product.introductoryPrice = PricePeriod(price: try Sample.price("0"), period: week)
        product.discountedPrice = PricePeriod(price: try Sample.price("12.50"), period: week)
        let week1 = #""period":{"unit":"week","numberOfUnits":1}"#
        #expect(
            written { $0.product(product) }
                == #"{"productIdentifier":"coins.100","type":"autoRenewableSubscription","#
                + #""localizedTitle":"100 coins","localizedDescription":"A handful","#
                + #""iconUrl":"https://example.org/a/b.png","#
                + #""price":{"value":0.99,"amount":"0.99","currencyCode":"EUR"},"#
                + #""subscriptionPeriod":{"unit":"month","numberOfUnits":3},"#
                + #""subscriptionGroupIdentifier":"pro","#
                + #""introductoryPrice":{"price":{"value":0,"amount":"0","#
                + #""currencyCode":"EUR"},\#(week1)},"#
                + #""discountedPrice":{"price":{"value":12.50,"amount":"12.50","#
                + #""currencyCode":"EUR"},\#(week1)}}"#
        )
    }

    @Test(arguments: ["0", "9.99", "1200", "0.10", "123456789012345678", "0.00000000000000001"])
    func `a price is written digit by digit`(amount: String) throws {
        let price = try Sample.price(amount)
        #expect(
            written { $0.price(price) }
                == #"{"value":\#(amount),"amount":"\#(amount)","currencyCode":"EUR"}"#)
    }

    @Test(
        arguments: [
            0, 1, 951_782_399_999, 951_782_400_000, 4_107_542_400_000, 253_402_300_799_999,
            253_402_300_800_000, -1, -62_167_219_200_000, Int64.max, Int64.min,
        ])
    func `a moment is written as the model writes it`(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(written { $0.time(time) } == "\"\(time)\"")
    }

    @Test(
        arguments: [
            UniqueID(high: 0, low: 0), UniqueID(high: .max, low: .max),
            UniqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210),
        ])
    func `an identifier is written as the model writes it and read back`(value: UniqueID) throws {
        let text = written { $0.identifier(TransactionID(value)) }
        #expect(text == "\"\(value)\"")
        let params = try decode(FinishTransaction.self, "[\(text)]")
        #expect(params.transaction == .id(TransactionID(value)))
    }

    @Test(
        arguments: [
            "11111111-2222-4333-8444-55555555555G", "11111111-2222-4333-8444-55555555555A",
            "1111111122222433328444-5555555555550", "11111111-2222-4333-8444-5555555555555",
            "111111111-222-4333-8444-555555555555", "g1111111-2222-4333-8444-555555555555",
        ])
    func `what only resembles an identifier is none of ours`(text: String) throws {
        let params = try decode(FinishTransaction.self, #"["\#(text)"]"#)
        #expect(params.transaction == .foreign(OpaqueText(text)))
    }

    @Test func `titles are escaped`() throws {
        var product = try Sample.coins()
        product.localizedTitle = "a\"b\\c\nd\u{1}é"
        let value = try JSONValue(parsing: written { $0.product(product) })
        #expect(value["localizedTitle"]?.stringValue == product.localizedTitle)
    }

    @Test func `the words of the wire are those of the contract`() throws {
        let schema = try #require(
            Discover.document(limits: Limits())["components"]?["schemas"]?["Transaction"]?[
                "properties"])
        func words(_ name: String) -> [String]? {
            schema[name]?["enum"]?.arrayValue?.compactMap(\.stringValue)
        }
        #expect(words("transactionState") == ["purchasing", "purchased", "restored", "failed"])
        #expect(words("waitingFor") == ["observer", "login", "gate", "approval", "store"])
        #expect(words("reason") == ["purchase", "renewal", "restore", "external"])
        #expect(
            words("removalReason")
                == ["finished", "withdrawn", "discardedByGate", "rejectedAfterLogin", "deleted"])
    }

    private func value(of state: TransactionState) throws -> JSONValue {
        let transaction = try Sample.transaction(state)
        return try JSONValue(parsing: written { $0.transaction(transaction, waitingFor: nil) })
    }
}
