/// The fields of a form in URL encoding, from a request body or a query.
struct FormFields: Sendable {
    /// The maximum number of fields.
    private static let limit = 32

    private var values: [String: String] = [:]

    /// Reads fields; of repeated names the first field counts.
    init(_ bytes: [UInt8]) {
        for pair in bytes.split(separator: UInt8(ascii: "&")).prefix(Self.limit) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ Self.text($0) }) else { continue }
            let value = parts.count == 2 ? Self.text(parts[1]) : ""
            if values[name] == nil, let value { values[name] = value }
        }
    }

    /// The value of a field; nil if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func text(_ encoded: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
