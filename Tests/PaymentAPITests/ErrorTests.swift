import PaymentCore
import StrictJSON
import Testing

@testable import PaymentAPI

@Suite struct ErrorTests {
    /// What was released. A code, its word, its retry or its effect never changes.
    static let released: [(code: Int, kind: String, retry: String, effect: String)] = [
        (-32700, "syntax", "no", "none"), (-32600, "invalidRequest", "no", "none"),
        (-32601, "methodNotFound", "no", "none"), (-32602, "invalidParams", "no", "none"),
        (-32603, "internal", "later", "unknown"), (-32000, "tooManyInFlight", "later", "none"),
        (-32001, "lineTooLong", "no", "none"), (-32002, "timeout", "same", "none"),
        (-32003, "resultTooLarge", "no", "none"), (-32004, "tooManySubscriptions", "no", "none"),
        (-32005, "tooManyConnections", "later", "none"), (-32006, "draining", "later", "none"),
        (-32007, "forbidden", "no", "none"), (-32008, "notDurable", "later", "unknown"),
        (-32009, "storeUnavailable", "later", "none"), (-32010, "cancelled", "same", "none"),
        (-32011, "connectionError", "later", "none"), (-32012, "tooManyAttempts", "later", "none"),
        (-32013, "shareExceeded", "later", "none"), (-32014, "noOwner", "later", "none"),
        (-32015, "indexRebuilding", "same", "none"),
        (1002, "unsupportedVersion", "no", "none"),
        (1101, "unknownProduct", "no", "none"), (1102, "keyReuse", "no", "none"),
        (1103, "paymentsNotAllowed", "no", "none"), (1104, "loginDiscarded", "same", "none"),
        (1105, "queueFull", "later", "none"), (1106, "rejectedAfterLogin", "no", "none"),
        (1107, "alreadyLive", "no", "none"), (1109, "invalidProductIdentifier", "no", "none"),
        (1201, "unknownTransaction", "no", "none"), (1203, "pageExpired", "no", "none"),
        (1204, "notDecidable", "no", "none"), (1301, "cursorTooOld", "no", "none"),
        (1302, "cursorAhead", "no", "none"), (1303, "otherEpoch", "no", "none"),
        (1304, "nameInUse", "no", "none"), (1305, "unknownObserver", "no", "none"),
        (1401, "unknownQuestion", "no", "none"), (1402, "questionClosed", "no", "none"),
        (1501, "unknownAccount", "no", "none"), (1502, "badCredential", "no", "none"),
        (1504, "notLoggedIn", "no", "none"), (1601, "notSupportedByStore", "no", "none"),
        (1602, "noSuchOrder", "no", "none"), (1603, "appNotRegistered", "no", "none"),
        (1701, "configurationRefused", "no", "none"),
    ]

    @Test func `every code keeps its word, its retry and its effect`() {
        let now = ErrorCode.allCases.map { code in
            "\(code.rawValue) \(code.kind) \(code.retry.rawValue) \(code.effect.rawValue)"
        }
        #expect(now == Self.released.map { "\($0.code) \($0.kind) \($0.retry) \($0.effect)" })
    }

    @Test func `the code alone identifies the failure`() {
        #expect(Set(ErrorCode.allCases.map(\.kind)).count == ErrorCode.allCases.count)
    }

    @Test(arguments: ErrorCode.allCases)
    func `a later try comes with a time, and only that`(code: ErrorCode) {
        let isWorthWaiting = code.retry == .later || code == .indexRebuilding
        #expect((code.retryAfterMs != nil) == isWorthWaiting)
        let names = code.object().data.map(\.name)
        let expected =
            isWorthWaiting
            ? ["kind", "retry", "retryAfterMs", "effect"] : ["kind", "retry", "effect"]
        #expect(names == expected)
    }

    @Test(arguments: ErrorCode.allCases)
    func `every code has a sentence of its own`(code: ErrorCode) {
        #expect(code.message.count > 8)
        #expect(ErrorCode.allCases.filter { $0.message == code.message } == [code])
    }

    @Test func `a refusal names what it is about`() throws {
        let refusals: [(Refusal, String)] = [
            (
                .unknownProduct("nope"),
                #"{"code":1101,"message":"The store does not sell this product in this storefront","#
                    + #""data":{"kind":"unknownProduct","retry":"no","effect":"none","#
                    + #""product":"nope"}}"#
            ),
            (
                .keyReuse(key: "k", transaction: Sample.id),
                #"{"code":1102,"message":"The idempotency key was used for a different call","#
                    + #""data":{"kind":"keyReuse","retry":"no","effect":"none","key":"k","#
                    + #""transaction":"\#(Sample.idText)"}}"#
            ),
            (
                .paymentsNotAllowed,
                #"{"code":1103,"message":"The account in session is not allowed to make payments","#
                    + #""data":{"kind":"paymentsNotAllowed","retry":"no","effect":"none"}}"#
            ),
            (
                .queueFull(limit: 5),
                #"{"code":1105,"message":"The queue has reached its limit of unfinished transactions","#
                    + #""data":{"kind":"queueFull","retry":"later","retryAfterMs":1000,"#
                    + #""effect":"none","limit":5}}"#
            ),
            (
                .shareExceeded(.unfinishedRestores, number: 256, share: 120),
                #"{"code":-32013,"message":"Your share of the limit, or the whole limit, is in use; end something before you ask for more","#
                    + #""data":{"kind":"shareExceeded","retry":"later","retryAfterMs":1000,"#
                    + #""effect":"none","limit":"unfinishedRestores","number":256,"share":120}}"#
            ),
            (
                .alreadyLive(Sample.id, .purchased),
                #"{"code":1107,"message":"An unfinished transaction for this product already exists","#
                    + #""data":{"kind":"alreadyLive","retry":"no","effect":"none","#
                    + #""transaction":"\#(Sample.idText)","state":"purchased"}}"#
            ),
            (
                .unknownTransaction,
                #"{"code":1201,"message":"Unknown transaction","#
                    + #""data":{"kind":"unknownTransaction","retry":"no","effect":"none"}}"#
            ),
        ]
        for (refusal, text) in refusals { #expect(written(refusal.errorObject()) == text) }
    }

    @Test func `an unknown transaction is named as the client named it`() {
        let error = Refusal.unknownTransaction.errorObject(naming: .foreign("t\"1"))
        #expect(error.data.last == JSONMember(name: "transaction", value: "t\"1"))
        let known = Refusal.unknownTransaction.errorObject(naming: .id(Sample.id))
        #expect(known.data.last?.value == .string(Sample.idText))
    }

    @Test(
        arguments: [
            (.connectionError, -32011), (.serviceUnavailable, -32009), (.internalError, -32603),
            (.appNotRegistered, 1603), (.unknownAccount, 1501), (.badCredential, 1502),
            (.sessionRevoked, 1504), (.storageFailed, -32008),
        ] as [(StoreFailure.Kind, Int)])
    func `a failure of the store has a code of its own and the store's sentence`(
        kind: StoreFailure.Kind, code: Int
    ) {
        let error = StoreFailure(kind, "it is raining").errorObject(account: "demo")
        #expect(error.code == code)
        #expect(error.message == "it is raining")
        #expect(error.data.last == JSONMember(name: "account", value: "demo"))
    }

    @Test(arguments: [(CursorFault.tooOld, 1301), (.ahead, 1302), (.otherEpoch, 1303)])
    func `a cursor that cannot be used is answered with the ends of the log`(
        fault: CursorFault, code: Int
    ) {
        let error = fault.errorObject(after: 99, oldest: 3, head: 7, epoch: "e7")
        #expect(error.code == code)
        let details = Array(error.data.dropFirst(3))
        #expect(details.map(\.name) == ["after", "oldest", "head", "epoch"])
        #expect(details.map(\.value) == [99, 3, 7, "e7"])
    }

    @Test func `wrong parameters say what, where and what was expected`() throws {
        let error = try #require(try problem(AddPayment.self, #"{"produkt":"a"}"#)).errorObject
        #expect(
            written(error)
                == #"{"code":-32602,"#
                + #""message":"Invalid params: '/produkt' is not a parameter; "#
                + #"did you mean 'product'?","#
                + #""data":{"kind":"unknownParam","retry":"no","effect":"none","#
                + #""path":"/produkt","didYouMean":"product"}}"#
        )
        let missing = try #require(try problem(AddPayment.self, nil)).errorObject
        #expect(
            written(missing)
                == #"{"code":-32602,"#
                + #""message":"Invalid params: '/product' is missing: expected a string","#
                + #""data":{"kind":"missingParam","retry":"no","effect":"none","#
                + #""path":"/product","expected":"a string"}}"#
        )
    }

    @Test func `the other errors of the server name what a client can act on`() {
        #expect(Failures.methodNotFound("subcribe").code == -32601)
        #expect(
            Failures.methodNotFound("subcribe").data.map(\.name)
                == ["kind", "retry", "effect", "method", "didYouMean"])
        #expect(Failures.methodNotFound("zzzzzz").data.last?.name == "method")
        #expect(Failures.forbidden(need: .admin).data.last?.value == "admin")
        #expect(Failures.limit(.lineTooLong, 65536).data.last?.value == 65536)
        #expect(Failures.resultTooLarge(size: 9, limit: 8).data.suffix(2).map(\.value) == [9, 8])
        #expect(Failures.timeout(afterMs: 10).data.last?.value == 10)
        #expect(Failures.internalError(incident: "x").data.last?.value == "x")
        #expect(Failures.unsupportedVersion(2).data.suffix(2).map(\.value) == [2, 1])
        #expect(Failures.waitInBatch.data.first?.value == "waitInBatch")
        #expect(Failures.notSupportedByStore.code == 1601)
        #expect(Failures.unknownRestore("r1").code == 1201)
        #expect(Failures.unknownRestore("r1").data.last?.value == "r1")
        #expect(Failures.unknownQuestion("q1").code == 1401)
        #expect(Failures.invalidProductIdentifier("").code == 1109)
        let undecidable = Failures.notDecidable(Sample.id, state: .purchased)
        #expect(undecidable.code == 1204)
        #expect(undecidable.data.suffix(2).map(\.value) == [.string(Sample.idText), "purchased"])
        let refused = Failures.configurationRefused(file: "f", path: "/p", reason: "r")
        #expect(refused.code == 1701)
        #expect(refused.data.suffix(3).map(\.value) == ["f", "/p", "r"])
    }

    @Test func `a long name comes back clipped, at the end of a letter`() {
        let long = String(repeating: "é", count: 30_000)
        let error = Failures.methodNotFound(long)
        let method = error.data.first { $0.name == "method" }?.value.stringValue ?? ""
        #expect(method.utf8.count <= 128 && method.hasPrefix("éé") && method.hasSuffix("é…"))
        let path = InvalidParameters.path("", long)
        #expect(path.utf8.count <= 129 && path.hasSuffix("é…"))
        let whole = String(repeating: "x", count: 128)
        #expect(InvalidParameters.path("", whole) == "/" + whole)
    }
}
