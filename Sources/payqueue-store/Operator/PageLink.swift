import PaymentCore

/// A URL of the operator's pages.
struct PageLink: Sendable, Hashable {
    /// Path and query, percent-encoded.
    let text: String

    /// Creates a URL; parameters without a value are omitted.
    init(_ path: String, _ query: [(name: String, value: String?)] = []) {
        let pairs = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(Self.encoded($0))" }
        }
        text = pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    static let overview = PageLink("/")
    static let orders = PageLink("/orders")
    static let accounts = PageLink("/accounts")
    static let subscriptions = PageLink("/subscriptions")
    static let settings = PageLink("/settings")

    /// The page of an order.
    static func order(_ order: OrderID) -> PageLink { PageLink("/orders/\(order)") }

    /// The page of an account.
    static func account(_ name: AccountName) -> PageLink {
        PageLink("/account", [("account", name.string)])
    }

    /// The confirmation of an action.
    static func confirm(_ action: OperatorAction) -> PageLink {
        PageLink("/confirm", action.fields.map { ($0, $1) })
    }

    /// Percent-encodes text for a query; letters, digits and four marks stay unchanged.
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
