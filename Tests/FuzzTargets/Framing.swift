import JSONRPC
import StrictJSON

/// The splitter of a byte stream into lines, compared with a reading of the whole stream at once.
///
/// The first byte of an input gives the limit of a line, the second the lengths of the pieces.
enum Framing {
    private enum Piece: Equatable {
        case line([UInt8])
        case tooLong
    }

    static func check(_ input: [UInt8]) throws(Violation) {
        guard input.count >= 2 else { return }
        let limit = Int(input[0] & 31) + 1
        let stream = Array(input.dropFirst(2))
        let found = try split(stream, limit: limit, pieces: Int(input[1]))
        let expected = whole(stream, limit: limit)
        try require(found == expected, "pieces give \(found), the whole stream \(expected)")
    }

    /// The lines of a stream that arrives in pieces of changing length.
    private static func split(
        _ stream: [UInt8], limit: Int, pieces seed: Int
    ) throws(Violation) -> [Piece] {
        var splitter = LineSplitter(limitBytes: limit)
        var found: [Piece] = []
        var buffer: [UInt8] = []
        var read = 0
        var length = seed
        while true {
            let atEnd = read == stream.count
            loop: while true {
                switch splitter.next(in: buffer.span, atEnd: atEnd) {
                case .line(let range, let consumed):
                    found.append(.line(Array(buffer[range])))
                    buffer.removeFirst(consumed)
                case .tooLong(let consumed):
                    found.append(.tooLong)
                    buffer.removeFirst(consumed)
                case .skip(let consumed):
                    try require(consumed > 0, "a step without progress")
                    buffer.removeFirst(consumed)
                case .needMore:
                    break loop
                }
            }
            try require(buffer.count <= limit + 1, "\(buffer.count) bytes are kept")
            guard !atEnd else { return found }
            length = (length * 5 + 1) & 255
            let end = min(stream.count, read + length % 40 + 1)
            buffer += stream[read..<end]
            read = end
        }
    }

    private static func whole(_ stream: [UInt8], limit: Int) -> [Piece] {
        var lines = stream.split(separator: 10, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.compactMap { line in
            let text = line.last == 13 ? line.dropLast() : line
            if text.count > limit { return .tooLong }
            let isBlank = text.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 }
            return isBlank ? nil : .line(Array(text))
        }
    }
}
