import Foundation
import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct FamiliarNameTests {
    private static let entries = FamiliarNames.groups.flatMap(\.names)

    @Test func `every counterpart is a name of ours`() throws {
        let contract = Self.document.jsonText()
        let schema = try String(
            contentsOf: Self.root.appending(path: "clients/transaction-history.schema.json"),
            encoding: .utf8)
        for entry in Self.entries {
            #expect(!entry.counterparts.isEmpty || !entry.note.isEmpty)
            for counterpart in entry.counterparts {
                let isOurs =
                    switch counterpart {
                    case .method(let name): Contract.names.contains(name)
                    case .parameter(let name, let method):
                        Contract.spec(named: method)?.parameters
                            .contains { $0.name.description == name } == true
                    case .type(let name): contract.contains("#/components/schemas/\(name)\"")
                    case .member(let name, let owner): Self.members(of: owner).contains(name)
                    case .event, .error: true
                    case .word(let word): Self.words.contains(word)
                    case .purchaseField(let name): schema.contains("\"\(name)\": {")
                    case .place(let place): Self.isPlace(place)
                    }
                #expect(isOurs, "\(counterpart) is not ours")
            }
        }
    }

    @Test func `every name stands in one entry`() {
        let names = Self.entries.flatMap { $0.storeKit + $0.onsideKit }
        let repeated = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys
        #expect(repeated.isEmpty)
        for entry in Self.entries {
            for name in entry.storeKit + entry.onsideKit {
                #expect(FamiliarNames.find(name) == entry, "\(name) leads to another entry")
            }
        }
    }

    @Test(arguments: [
        ("restoreCompletedTransactions", "restore"), ("finishTransaction", "finish"),
        ("SKPaymentQueue.add(_:)", "add"), ("addPayment:", "add"), ("purchase", "add"),
        ("OnsidePaymentQueueDelegate", "delegate"), ("transactionObservers", "observers"),
        ("makeSignedInAppsHistoryRequest", "signedHistory"), ("getTransactions", "transactions"),
        ("onsideDefaultCountryCodeAssumption", "storefront"), ("loadProducts", "products"),
        ("onsidePaymentQueue(_:updatedTransactions:)", "subscribe"),
        ("paymentQueue:removedTransactions:", "subscribe"), ("Transaction.updates", "subscribe"),
        ("currentEntitlements", "entitlements"), ("REQUESTLOGIN", "login"),
    ])
    func `a familiar method is answered with ours`(name: String, ours: String) {
        let error = Failures.methodNotFound(name)
        #expect(error.member("didYouMean") == .string(ours))
        #expect(error.member("hint")?.stringValue?.contains("'\(name)'") == true)
    }

    @Test(arguments: [
        ("loginDiscarded", "1104"), ("rejectedAfterLogin", "1106"), ("unknownProduct", "1101"),
        ("SKError.paymentCancelled", "'cancelled'"), ("Merchant Secret", "merchant add"),
        ("Merchant ID", "merchant add"), ("Secret Key ID", "merchant list"),
        ("applicationUsername", "'appAccountToken' of 'add'"), ("SKDownload", "nothing: content"),
        ("deferred", "'approval'"), ("revocationDate", "'revocation_date'"),
    ])
    func `what is no method here is told all the same`(name: String, words: String) {
        let hint = Failures.methodNotFound(name).member("hint")?.stringValue ?? ""
        #expect(hint.contains(words), "\(hint)")
    }

    @Test(arguments: ["subcribe", "zzzzzz", "", String(repeating: "a", count: 100_000)])
    func `other names get no hint`(name: String) {
        #expect(Failures.methodNotFound(name).member("hint") == nil)
    }

    @Test func `familiar parameters, kinds and states are answered with ours`() throws {
        let username = try problem(AddPayment.self, #"{"applicationUsername":"u"}"#)
        #expect(username?.didYouMean == "appAccountToken")
        let product = try problem(AddPayment.self, #"{"productIdentifier":"p"}"#)
        #expect(product?.didYouMean == "product")
        let quantity = try problem(AddPayment.self, #"{"product":"p","quantity":2}"#)
        #expect(quantity?.didYouMean == nil)
        #expect(quantity?.errorObject.member("hint")?.stringValue?.contains("one piece") == true)
        let kinds = try problem(Subscribe.self, #"{"kinds":["updatedTransactions"]}"#)
        #expect(kinds?.path == "/kinds/0")
        #expect(kinds?.didYouMean == "transactionsUpdated")
        #expect(kinds?.errorObject.member("hint") != nil)
        let states = try problem(Transactions.self, #"{"states":["deferred"]}"#)
        #expect(states?.didYouMean == "purchasing")
        let failure = try problem(TestSet.self, #"{"failureError":"paymentCancelled"}"#)
        #expect(failure?.didYouMean == "cancelled")
    }

    @Test(
        .enabled(
            if: ForeignTexts.pages != nil,
            "the pages of OnsideKit and StoreKit are not beside the checkout"))
    func `every name of the pages of OnsideKit and StoreKit is in the table`() throws {
        let pages = try #require(ForeignTexts.pages)
        let names = pages.map(ForeignTexts.names).reduce(into: Set()) { $0.formUnion($1) }
        #expect(names.count > 100, "the pages name \(names.count) things only")
        let missing = names.subtracting(Self.ofExamples).filter { FamiliarNames.find($0) == nil }
        #expect(missing.isEmpty, "\(missing.sorted())")
        #expect(Self.ofExamples.subtracting(names).isEmpty, "these are in no page any more")
    }

    @Test func `a name that the table lacks is noticed`() {
        let page = """
            Call `onsideFrobnicate()`, or [`SKFrobnicator`](skfrobnicator.md), with `frob` and \
            frob_id: it ends in `.frobbed`. Ask for your Merchant ID at https://a.example/camelCase.
            """
        let names = ForeignTexts.names(in: page)
        #expect(
            names == [
                "onsideFrobnicate()", "SKFrobnicator", "frob", "frob_id", "frobbed", "Merchant ID",
            ])
        #expect(names.filter { FamiliarNames.find($0) == nil }.count == 5)
    }

    @Test func `the table of the documentation is made from the list`() throws {
        let file = Self.root.appending(
            path: "Sources/payqueued/Documentation.docc/Migrating.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(page.firstRange(of: NameReference.start)?.lowerBound)
        let end = try #require(page.firstRange(of: NameReference.end)?.lowerBound)
        let wanted = page[..<start] + NameReference.section + page[end...]
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(wanted.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == wanted, "record it with RECORD=1")
    }

    /// Names on the pages that are of Swift, of other frameworks, or of their examples alone.
    private static let ofExamples: Set = [
        "AnyObject", "AppDelegate", "MainActor", "StoreViewController", "UIViewController",
        "UserDefaults", "buyButtonTapped", "currentUser", "failure", "forKey", "myObserver",
        "premium_subscription_monthly", "remove_ads", "restoreButtonTapped()", "sequenceDiagram",
        "stateDiagram", "switch", "unlockContent",
    ]

    private static let document = Discover.document(limits: Limits())

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every word that a parameter accepts or a member may be.
    private static let words: Set<String> = {
        func words(in value: JSONValue) -> [String] {
            let own = value["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return own + (value.members ?? []).flatMap { words(in: $0.value) }
                + (value.arrayValue ?? []).flatMap(words)
        }
        // Reasons that the queue itself gives are open texts.
        return Set(words(in: document)).union(["productNotAvailable"])
    }()

    private static func members(of owner: String) -> [String] {
        let schema = document["components"]?["schemas"]?[owner]
        let shared = schema?["properties"]?.members?.map(\.name) ?? []
        return shared + (Contract.spec(named: owner).map(Help.resultMembers) ?? []).map(\.name)
    }

    private static func isPlace(_ place: String) -> Bool {
        let programs = ["payqueued", "payqueuectl", "payqueue-store"]
        return place.hasPrefix("/")
            || programs.contains { place == $0 || place.hasPrefix($0 + " ") }
    }
}

extension ErrorObject {
    fileprivate func member(_ name: String) -> JSONValue? {
        data.first { $0.name == name }?.value
    }
}
