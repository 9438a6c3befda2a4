import PaymentCore
import PaymentHistory

/// A signed history: verified, and as a table.
enum HistoryText {
    /// Verifies.
    static func verify(
        _ jws: String, keys: KeySet
    ) throws -> (history: TransactionHistory, key: StoreKey) {
        do throws(VerificationFault) {
            return try HistoryVerifier(keys: keys).verify(jws)
        } catch {
            throw CommandFailure(
                .refused, "cannot believe the history: \(reason(error))", advice: advice(error))
        }
    }

    /// Why a history is not to be believed, in words.
    static func reason(_ fault: VerificationFault) -> String {
        guard case .form(let form) = fault else { return fault.description }
        return "it is no compact JWS: " + words(form)
    }

    private static func advice(_ fault: VerificationFault) -> String {
        if case .form = fault { return "give the signed history whole and as it came" }
        return "use the keys of the store that signed it; refuse it if these are they"
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

    /// Fails unless an order is in a history and gives a right to something.
    static func requireEntitling(_ order: String, in history: TransactionHistory) throws {
        guard let found = history.transactions.first(where: { $0.orderID.description == order })
        else {
            throw refused(
                order, "it is not in the history", "check the order and whose history this is")
        }
        if let revocation = found.revocation {
            throw refused(order, "it was revoked at \(revocation.date)", "take the goods back")
        }
        if !found.isEntitling(at: found.fetchedAt) {
            throw refused(
                order, "it has expired", "ask for a newer history, or take the goods back")
        }
    }

    private static func refused(
        _ order: String, _ reason: String, _ advice: String
    ) -> CommandFailure {
        CommandFailure(.refused, "cannot accept order '\(order)': \(reason)", advice: advice)
    }

    /// The table, and who signed it.
    static func lines(_ history: TransactionHistory, key: StoreKey) -> [String] {
        var table = TextTable("ORDER", "PRODUCT", "PRICE", "PAID", "ENDS", "NOTES")
        for purchase in history.transactions {
            table.add([
                .init(purchase.orderID.description), .init(purchase.productID),
                .init(purchase.priceText), .init(day(purchase.purchaseDate)),
                .init(purchase.expiresAt.map(day) ?? "-"), state(purchase),
            ])
        }
        return table.lines(ifEmpty: "Nothing was paid for.")
            + [
                Console.styled(
                    "Verified: signed with \(key.algorithm) by key \(ScreenText.plain(key.id)).",
                    .quiet)
            ]
    }

    private static func state(_ purchase: InAppPurchase) -> TextTable.Cell {
        if let revocation = purchase.revocation {
            return .init("\(revocation.reason) \(day(revocation.date))", .bad)
        }
        if !purchase.isEntitling(at: purchase.fetchedAt) { return .init("expired", .busy) }
        return .init(purchase.reason == .renewal ? "renewal" : "")
    }

    /// A moment without seconds.
    private static func day(_ moment: Timestamp) -> String {
        String(moment.description.prefix(16)).replacing("T", with: " ")
    }
}
