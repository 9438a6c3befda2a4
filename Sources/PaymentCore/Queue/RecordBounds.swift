/// Upper bounds of the parts of one record. They keep its journal line below the line limit of 256
/// KiB, whatever text must be escaped.
///
/// One byte of text is at most six bytes of JSON. Code that creates events observes these bounds;
/// the journal treats a longer line as a defect and stops.
public enum RecordBounds {
    /// The greatest configurable limit for an idempotency key, an application account token or a
    /// trace context, in bytes. The three use at most 72 KiB of a line.
    public static let configurableTextBytes = 4096
    /// The maximum number of orders in one `entitlementsRevoked`. With product identifiers of 256
    /// bytes and the longest reasons they use at most 236 KiB. More orders need more records.
    public static let ordersPerRevocation = 100
    /// The maximum length of a store's revocation reason, in bytes.
    public static let revocationReasonBytes = 128
    /// The maximum length of a remark on an answer, in bytes.
    public static let noteBytes = 1024
    /// The maximum length of an account name or a product identifier in a catalogue, in bytes.
    public static let identifierBytes = 256
    /// The maximum length of an observer's name, in bytes.
    public static let observerNameBytes = 128
    /// The maximum length of a product's title, description or picture URL, and of a store's
    /// failure reason, in bytes. The three texts of a product use at most 144 KiB of a line.
    public static let productTextBytes = 8192

    /// A display text of at most `bytes` bytes, cut between characters if it is longer.
    public static func shortened(_ text: String, to bytes: Int = productTextBytes) -> String {
        guard text.utf8.count > bytes else { return text }
        var short = ""
        var room = bytes - 3
        for scalar in text.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            short.unicodeScalars.append(scalar)
        }
        return short + "…"
    }
}
