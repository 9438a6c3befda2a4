import StrictJSON

/// A catalogue file after the scan: its bytes and the position of each value in them.
struct CatalogueDocument: Sendable {
    let file: String
    let bytes: [UInt8]
    let tape: JSONTape

    /// Scans a file. The tape stores positions only; readers copy the values that they request.
    init(bytes: [UInt8], file: String) throws(CatalogueFailure) {
        var tape = JSONTape(limits: .trusted)
        do {
            try tape.scan(bytes.span)
        } catch {
            throw Self.failure(
                file: file, bytes: bytes, offset: error.offset, path: nil,
                reason: Self.sentence(for: error.kind, of: bytes))
        }
        self.file = file
        self.bytes = bytes
        self.tape = tape
    }

    /// The outermost value.
    var root: CatalogueNode { CatalogueNode(document: self, token: 0, path: "") }

    /// A failure about the value that begins at a byte.
    func failure(offset: Int, path: String?, reason: String) -> CatalogueFailure {
        Self.failure(file: file, bytes: bytes, offset: offset, path: path, reason: reason)
    }

    private static func failure(
        file: String, bytes: [UInt8], offset: Int, path: String?, reason: String
    ) -> CatalogueFailure {
        let before = bytes.prefix(max(0, offset))
        let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        // Continuation bytes of UTF-8 do not count, so that columns agree with editors.
        let characters = before[lineStart...].count { $0 & 0xC0 != 0x80 }
        return CatalogueFailure(
            file: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: characters + 1, path: path, reason: reason)
    }

    private static func sentence(for kind: JSONFault.Kind, of bytes: [UInt8]) -> String {
        switch kind {
        case .syntax: "this is not JSON"
        case .encoding:
            byteOrderMarks.contains(where: bytes.starts)
                ? "the file starts with a byte order mark; save it as UTF-8 without one"
                : "these bytes are not UTF-8 text"
        case .duplicateName: "this name occurs twice in one object"
        case .loneSurrogate: "this escape is half of a surrogate pair"
        case .tooDeep: "values are nested too deeply"
        case .tooManyTokens: "the file has too many values"
        }
    }

    /// The byte order marks of UTF-8 and of both orders of UTF-16, which some editors write.
    private static let byteOrderMarks: [[UInt8]] = [
        [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF],
    ]
}
