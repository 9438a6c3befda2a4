import Foundation
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentAPI

/// Readers and writers that are made by hand, because they run very often, agree with the lists of
/// parameters and members.
@Suite struct CodingEqualityTests {
    /// The parameters of the requests in the transcripts, by method.
    private static let recorded: [(method: String, params: String)] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "clients/transcripts")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.flatMap { file in
            let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
            return (text ?? "").split(separator: "\n").compactMap {
                line -> (method: String, params: String)? in
                guard let request = try? JSONValue(parsing: String(line))[">"],
                    let method = request["method"]?.stringValue, let params = request["params"]
                else { return nil }
                return (method, params.jsonText())
            }
        }
    }()

    @Test func `the transcripts have requests of both methods that are read by hand`() {
        let methods = Set(Self.recorded.map(\.method))
        #expect(methods.isSuperset(of: ["add", "finish"]))
    }

    @Test(arguments: Contract.names)
    func `the requests of the transcripts are read as the lists say`(name: String) throws {
        let method = try #require(Contract.method(named: name))
        var requests = Self.recorded.filter { $0.method == name }.map(\.params)
        requests.append(method.spec.example.params.jsonText())
        for params in requests { try expectEqualReading(method, params) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `requests at random are read as the lists say`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for name in Contract.names {
            let method = try #require(Contract.method(named: name))
            try expectEqualReading(method, random.params(for: method.spec))
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `results at random are written as the lists say`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entry = try random.entry()
        expectEqualWriting(entry, Transactions.Result.Entry.form)
        expectEqualWriting(entry.transaction.payment.product.product, Product.form)
        expectEqualWriting(try random.price(), Price.form)
        expectEqualWriting(try random.offer(), PricePeriod.form)
        expectEqualWriting(random.period(), SubscriptionPeriod.form)
        expectEqualWriting(random.origin(), Origin.form)
        expectEqualWriting(try random.country(), CountryCode.storefront)
        expectEqualWriting(try random.added())
        expectEqualWriting(try random.finished())
    }

    private func expectEqualReading<M: PaymentAPI.Method>(
        _ method: M.Type, _ params: String
    ) throws {
        let bytes = Array(params.utf8)
        var tape = JSONTape()
        try tape.scan(bytes.span)
        let byHand = Result { () throws(InvalidParameters) in
            try M.call(tape, params: 0, in: bytes.span).params
        }
        let byList = Result { () throws(InvalidParameters) in
            try M.Params(Arguments(M.spec, tape: tape, params: 0, in: bytes.span), in: bytes.span)
        }
        #expect(byHand == byList, "\(params)")
    }

    private func expectEqualWriting<Value>(_ value: Value, _ form: ResultForm<Value>) {
        #expect(written { form.write(value, &$0) } == written { form.writeMembers(value, &$0) })
    }

    private func expectEqualWriting<Value: WireResult>(_ value: Value) {
        #expect(written(value) == written { Value.form.writeMembers(value, &$0) })
    }
}

extension SeededGenerator {
    /// A value, or none.
    private mutating func maybe<Value>(
        _ value: (inout SeededGenerator) throws -> Value
    ) rethrows -> Value? {
        try Bool.random(using: &self) ? value(&self) : nil
    }

    private mutating func any<Value>(of values: [Value]) throws -> Value {
        try #require(values.randomElement(using: &self))
    }

    /// A text with everything that needs an escape, or none.
    private mutating func text() -> String {
        let pieces = ["a", "coins.100", "\"", "\\", "/", "\u{7}", "\n", "é", "😀", "\u{2028}", " "]
        return (0..<Int.random(in: 0...4, using: &self))
            .map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    private mutating func opaque() -> OpaqueText { OpaqueText(text()) }

    private mutating func id<ID: TypedIdentifier>() -> ID {
        ID(UniqueID(high: next(), low: next()))
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &self))
    }

    fileprivate mutating func country() throws -> CountryCode {
        try any(of: ["DE", "US", "JP", "AZ"].compactMap { CountryCode($0) })
    }

    fileprivate mutating func price() throws -> Price {
        let amounts = ["0", "0.99", "1200", "12.000", "9007199254740993.01"]
        return Price(
            amount: try any(of: amounts.compactMap { Amount($0) }),
            currencyCode: try any(of: ["EUR", "JPY", "KWD"]))
    }

    fileprivate mutating func period() -> SubscriptionPeriod {
        SubscriptionPeriod(
            unit: SubscriptionPeriod.Unit.allCases.randomElement(using: &self) ?? .day,
            numberOfUnits: Int.random(in: 1...99, using: &self))
    }

    fileprivate mutating func offer() throws -> PricePeriod {
        PricePeriod(price: try price(), period: period())
    }

    fileprivate mutating func origin() -> Origin {
        Origin(
            uid: UInt32.random(in: 0 ... .max, using: &self), client: maybe { $0.opaque() },
            connection: 3, request: 9)
    }

    private mutating func product() throws -> Product {
        var product = Product(
            productIdentifier: opaque(), type: try any(of: Product.Kind.allCases),
            localizedTitle: text(), localizedDescription: text(), price: try price())
        product.iconURL = maybe { $0.text() }
        product.subscriptionPeriod = maybe { $0.period() }
        product.subscriptionGroupIdentifier = maybe { $0.opaque() }
        product.introductoryPrice = try maybe { try $0.offer() }
        product.introductoryOfferEligible = maybe { Bool.random(using: &$0) }
        product.discountedPrice = try maybe { try $0.offer() }
        return product
    }

    private mutating func charge() throws -> Charge {
        Charge(
            price: try price(), offer: try maybe { try $0.any(of: PurchaseOffer.allCases) },
            effectiveAt: maybe { $0.time() }, revocation: maybe { OrderRevocation(at: $0.time()) })
    }

    private mutating func finish() throws -> Finish {
        Finish(
            time: time(), reason: try any(of: RemovalReason.allCases), origin: maybe { $0.origin() }
        )
    }

    fileprivate mutating func entry() throws -> Transactions.Result.Entry {
        let failure = PaymentFailure(
            try any(of: PaymentFailure.Kind.allCases), reason: maybe { $0.text() })
        let country = try country()
        let recorded = RecordedProduct(number: 1, product: try product(), country: country)
        let transaction = Transaction(
            id: id(), account: maybe { $0.opaque() },
            payment: Payment(product: recorded, appAccountToken: maybe { $0.opaque() }),
            state: try any(of: [
                .waiting, .gated, .submitted, .deferred, .purchased, .completing, .restored,
                .failed(failure),
            ]),
            country: country, order: maybe { $0.id() }, originalOrder: maybe { $0.id() },
            charge: try maybe { try $0.charge() }, reason: try any(of: Transaction.Reason.allCases),
            revision: UInt32.random(in: 0 ... .max, using: &self), createdAt: time(),
            updatedAt: time(), origin: maybe { $0.origin() })
        return .init(
            transaction: transaction, waitingFor: try maybe { try $0.any(of: WaitingFor.allCases) },
            finish: try maybe { try $0.finish() })
    }

    fileprivate mutating func added() throws -> AddPayment.Result {
        AddPayment.Result(
            transaction: id(), state: try any(of: TransactionState.Phase.allCases),
            waitingFor: try maybe { try $0.any(of: WaitingFor.allCases) }, sequence: next(),
            isDuplicate: Bool.random(using: &self), removed: try maybe { try $0.finish() })
    }

    fileprivate mutating func finished() throws -> FinishTransaction.Result {
        FinishTransaction.Result(
            transaction: id(), disposition: try any(of: FinishDisposition.allCases),
            sequence: next())
    }

    /// Parameters of a method, each of them right, wrong or left out, now and then with one that no
    /// method has.
    fileprivate mutating func params(for spec: MethodSpec) throws -> String {
        var members: [String] = []
        for parameter in spec.parameters.shuffled(using: &self) {
            guard Int.random(in: 0..<4, using: &self) > 0 else { continue }
            let name = JSONValue.string(parameter.name.description).jsonText()
            members.append("\(name):\(try value(parameter.shape))")
        }
        if Int.random(in: 0..<8, using: &self) == 0 { members.append("\"trace\":\"t\"") }
        if Int.random(in: 0..<16, using: &self) == 0 { members.append("\"other\":1") }
        return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func value(_ shape: ParameterShape) throws -> String {
        if Int.random(in: 0..<10, using: &self) == 0 {
            return try any(of: ["null", "[]", "{}", "-1", "1.5", "\"x\"", "true"])
        }
        switch shape {
        case .text, .configured:
            let ids = ["\"s1\"", "\"\(Sample.idText)\"", "\"\\u0031\(Sample.idText.dropFirst())\""]
            return try any(of: ids + [JSONValue.string(text()).jsonText()])
        case .printable: return try any(of: ["\"till\"", "\"a b~\"", "\"\\u0041\""])
        case .word(let words): return JSONValue.string(try any(of: words)).jsonText()
        case .flag: return try any(of: ["true", "false"])
        case .integer(let range):
            return try any(of: ["\(range.lowerBound)", "\(range.upperBound)", "3"])
        case .number(let numbers): return "\(try any(of: numbers))"
        case .seconds(let range): return try any(of: ["\(range.upperBound)", "1.25", "2e0"])
        case .cursor: return try any(of: ["0", "7", "\"start\"", "\"now\""])
        case .country, .countryOrEmpty: return try any(of: ["\"DE\"", "\"DEU\"", "\"\""])
        case .list(let element, _):
            return "[\(try value(element)),\(try value(element))]"
        case .record(let members):
            let chosen = members.filter { $0.isRequired || Bool.random(using: &self) }
            let texts = try chosen.map { "\"\($0.name)\":\(try value($0.shape))" }
            return "{" + texts.joined(separator: ",") + "}"
        case .either(let one, let other): return try value(Bool.random(using: &self) ? one : other)
        case .nullable(let shape): return try value(shape)
        case .anything: return try any(of: ["1.0", "{\"a\" : []}", "\"p\""])
        case .requestID: return try any(of: ["7", "1.0", "\"\\u0061\"", "null"])
        case .parameters: return try any(of: ["{}", "[1]"])
        }
    }
}
