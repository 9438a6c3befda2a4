import PaymentCore
import PaymentHistory

/// The verified pages of a signed history, as a table or as JSON.
struct HistoryText {
    private let verifier: HistoryVerifier
    private let json: Bool
    /// The signed purchases, in the order of the pages.
    private(set) var purchases: [InAppPurchase] = []
    private var signers: [StoreKey] = []
    private var documents: [String] = []
    private var pages = 0

    /// Creates a history with trusted keys.
    init(keys: KeySet, json: Bool) {
        verifier = HistoryVerifier(keys: keys)
        self.json = json
    }

    /// Verifies a page and adds its purchases.
    mutating func verify(_ jws: String) throws {
        pages += 1
        do throws(VerificationFault) {
            let (history, key) = try verifier.verify(jws)
            purchases += history.transactions
            if !signers.contains(key) { signers.append(key) }
            if json { documents.append(String(decoding: history.jsonBytes, as: UTF8.self)) }
        } catch {
            let place = pages == 1 ? "the history" : "page \(pages) of the history"
            throw CommandFailure(
                .refused, "cannot verify \(place): \(Self.reason(error))",
                advice: Self.advice(error), kind: "notVerified")
        }
    }

    /// Verifies pages, one per line.
    mutating func verify(lines text: [UInt8]) throws {
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        // Empty text is not a history.
        for line in lines.isEmpty ? [[]] : lines {
            try verify(String(decoding: line, as: UTF8.self))
        }
    }

    /// The reason why a history is not valid, as text.
    static func reason(_ fault: VerificationFault) -> String {
        guard case .form(let form) = fault else { return fault.description }
        return "it is not a compact JWS: " + words(form)
    }

    private static func advice(_ fault: VerificationFault) -> String {
        if case .form = fault { return "pass the signed history complete and unchanged" }
        return "use the keys of the store that signed it; if these are those keys, do not trust it"
    }

    private static func words(_ fault: JWSFault) -> String {
        switch fault {
        case .tooLong: "it is too long"
        case .notThreeParts: "it does not have three parts with dots between them"
        case .emptyPart: "one of its parts is empty"
        case .spelling(let part): "its \(part.rawValue) is not written in base64url"
        case .notJSON(let part): "its \(part.rawValue) is not JSON"
        case .repeatedMember(let part): "its \(part.rawValue) has two members of one name"
        case .notAnObject(let part): "its \(part.rawValue) is not an object"
        case .critical: "it needs extensions that are not known here"
        }
    }

    /// Reads a key set.
    static func keySet(_ bytes: [UInt8], from place: String) throws -> KeySet {
        do throws(KeySetFault) {
            return try KeySet(parsing: bytes)
        } catch {
            throw CommandFailure(
                .refused, "cannot use the keys of '\(place)': \(error)",
                advice: "name the store's JSON Web Key Set with --keys")
        }
    }

    /// Whether an order is in the history.
    func holds(_ order: String) -> Bool {
        purchases.contains { $0.orderID.description == order }
    }

    /// Throws unless an order is in the history and grants an entitlement.
    func requireEntitling(_ text: String, action: String) throws {
        let candidates = purchases.map {
            Identifiers.Candidate(id: $0.orderID.description, about: "\($0.productID)")
        }
        let order =
            Identifiers.isBeginning(text)
            ? try Identifiers.choose(text, .order, from: candidates, action: action) ?? text : text
        guard let found = purchases.first(where: { $0.orderID.description == order })
        else {
            throw Self.refused(
                order, "it is not in the history",
                "check the order, and which account the history is of")
        }
        if let revocation = found.revocation {
            throw Self.refused(order, "it was revoked at \(revocation.date)", "take the goods back")
        }
        if !found.isEntitling(at: found.fetchedAt) {
            throw Self.refused(
                order, "it has expired", "fetch a newer history, or take the goods back")
        }
    }

    private static func refused(
        _ order: String, _ reason: String, _ advice: String
    ) -> CommandFailure {
        CommandFailure(.refused, "cannot accept order '\(order)': \(reason)", advice: advice)
    }

    /// The table with the signing keys; as JSON, each page as it was signed.
    ///
    /// - Parameter width: The maximum width of the table in columns; nil for any width.
    /// - Returns: The lines, without line ends.
    func lines(width: Int?) -> [String] {
        if json { return documents }
        var table = TextTable(
            .id("ORDER"), .text("PRODUCT"), "PRICE", "PAID", "ENDS", .text("NOTES"))
        for purchase in purchases {
            table.add([
                .init(purchase.orderID.description), .init(purchase.productID),
                .init(purchase.priceText), .init(Self.day(purchase.purchaseDate)),
                .init(purchase.expiresAt.map(Self.day) ?? "-"), Self.state(purchase),
            ])
        }
        return table.lines(ifEmpty: "No purchases.", width: width)
            + signers.map { key in
                let what = pages == 1 ? "" : " \(pages) pages,"
                return Console.styled(
                    "Verified:\(what) signed with \(key.algorithm) by key "
                        + "\(ScreenText.plain(key.id)).", .quiet)
            }
    }

    private static func state(_ purchase: InAppPurchase) -> TextTable.Cell {
        if let revocation = purchase.revocation {
            return .init("\(revocation.reason) \(day(revocation.date))", .bad)
        }
        if !purchase.isEntitling(at: purchase.fetchedAt) { return .init("expired", .busy) }
        return .init(purchase.reason == .renewal ? "renewal" : "")
    }

    /// A time without seconds.
    private static func day(_ moment: Timestamp) -> String {
        String(moment.description.prefix(16)).replacing("T", with: " ")
    }
}
