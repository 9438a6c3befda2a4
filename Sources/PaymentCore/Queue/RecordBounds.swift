/// How large the parts of one record may get, so that its journal line keeps below the line limit
/// of 256 KiB however much of the text has to be escaped.
///
/// One byte of text is at most six bytes of JSON. Who makes events keeps to these bounds; the
/// journal takes a longer line for a defect and stops.
public enum RecordBounds {
    /// Longest idempotency key, application account token or trace context that a configuration
    /// may allow, in bytes: three of these make at most 72 KiB of a line.
    public static let configurableTextBytes = 4096
    /// Most orders of one `entitlementsRevoked`: with product identifiers of 256 bytes and the longest
    /// reasons at most 236 KiB. More of them make more records.
    public static let ordersPerRevocation = 100
    /// Longest reason why a store took an order back, in bytes.
    public static let revocationReasonBytes = 128
    /// Longest remark of one who answers a question, in bytes.
    public static let noteBytes = 1024
    /// Longest name of an account or a product in a catalogue, in bytes.
    public static let identifierBytes = 256
    /// Longest name of an observer, in bytes.
    public static let observerNameBytes = 128
    /// Longest title, description or picture address of a product, and longest reason of a store, in
    /// bytes: the three of a product are at most 144 KiB of the line that records it.
    public static let productTextBytes = 8192

    /// A text for people, cut at a character where it is longer than so many bytes.
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
