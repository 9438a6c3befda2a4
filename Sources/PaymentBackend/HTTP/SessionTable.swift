import PaymentCore
import StrictJSON

/// The sessions that were opened at the store, and what is being asked about them.
struct SessionTable: Sendable {
    /// A session; its tokens are never written anywhere but to the store and to the memory.
    struct Held: Sendable {
        var refreshToken: String
        var accessToken: String?
    }

    /// Most accounts whose sessions are kept.
    static let limit = 1000

    private var held: [AccountName: Held] = [:]
    /// The account that logged in last.
    var current: AccountName?
    /// What is being asked for an account, so that it is asked once.
    var asking: [AccountName: Task<Result<String, StoreFailure>, Never>] = [:]

    subscript(account: AccountName) -> Held? {
        get { held[account] }
        set {
            if newValue != nil, held[account] == nil, held.count >= Self.limit {
                // Any but the one in session: it can be opened again.
                if let other = held.keys.first(where: { $0 != current }) { held[other] = nil }
            }
            held[account] = newValue
        }
    }

    /// What is kept over a restart: refresh tokens, and where they are good.
    func bytes(for address: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("store", address)
        writer.member("current", current?.string)
        writer.name("sessions")
        writer.beginArray()
        for (account, session) in held {
            writer.element()
            writer.beginObject()
            writer.member("account", account.string)
            writer.member("refreshToken", session.refreshToken)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Takes over what was kept. Tokens of another store are worth nothing and are sent to nobody.
    mutating func recall(_ bytes: [UInt8], for address: String) throws(MessageFault) {
        let fields = try MessageFields(parsing: bytes)
        guard try fields.required("store", { $0 }) == address else { return }
        for session in try fields.objects("sessions") {
            let account = try session.required("account") { AccountName($0) }
            held[account] = Held(
                refreshToken: try session.required("refreshToken", BearerToken.checked))
        }
        current = try fields.optional("current") { AccountName($0) }
    }
}
