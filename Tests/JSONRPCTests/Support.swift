import JSONRPC
import StrictJSON

/// What a reader of a stream gets to see.
enum Received: Equatable, CustomStringConvertible {
    case line(String)
    case tooLong

    var description: String {
        switch self {
        case .line(let text): text.debugDescription
        case .tooLong: "too long"
        }
    }
}

/// Feeds pieces to a splitter the way a connection does: it keeps what was not consumed, and
/// the input ends after the last piece.
struct Reader {
    var splitter: LineSplitter
    private(set) var received: [Received] = []
    /// The most bytes that had to be kept from one piece to the next.
    private(set) var mostKept = 0
    private var kept: [UInt8] = []

    init(limitBytes: Int) {
        splitter = LineSplitter(limitBytes: limitBytes)
    }

    mutating func feed(_ piece: [UInt8], atEnd: Bool = false) {
        kept += piece
        while true {
            let bytes = kept
            switch splitter.next(in: bytes.span, atEnd: atEnd) {
            case .line(let range, let consumed):
                received.append(.line(String(decoding: kept[range], as: UTF8.self)))
                kept.removeFirst(consumed)
            case .tooLong(let consumed):
                received.append(.tooLong)
                kept.removeFirst(consumed)
            case .skip(let consumed):
                kept.removeFirst(consumed)
            case .needMore:
                mostKept = max(mostKept, kept.count)
                return
            }
        }
    }

    /// Everything that is received from an input cut at the given places.
    static func read(
        _ input: [UInt8], cutAt cuts: [Int] = [], limitBytes: Int = 16
    ) -> [Received] {
        var reader = Reader(limitBytes: limitBytes)
        var start = 0
        for cut in cuts.sorted() {
            reader.feed(Array(input[start..<cut]))
            start = cut
        }
        reader.feed(Array(input[start...]))
        reader.feed([], atEnd: true)
        return reader.received
    }
}

/// A scanner together with its line, because a span cannot be named inside of an expectation.
struct Request {
    let line: [UInt8]
    let scanner: RequestScanner
    let result: ScannedLine

    init(_ line: [UInt8], batchLimit: Int = 4, limits: JSONLimits = JSONLimits()) {
        var scanner = RequestScanner(limits: limits)
        result = scanner.scan(line.span, batchLimit: batchLimit)
        self.line = line
        self.scanner = scanner
    }

    init(_ line: String, batchLimit: Int = 4, limits: JSONLimits = JSONLimits()) {
        self.init(Array(line.utf8), batchLimit: batchLimit, limits: limits)
    }

    var envelope: RequestEnvelope? {
        if case .request(let envelope) = result { envelope } else { nil }
    }

    var fault: RPCFault? {
        if case .fault(let fault) = result { fault } else { nil }
    }

    var batch: [BatchElement]? {
        if case .batch(let elements) = result { elements } else { nil }
    }

    /// The text of a range of the line.
    func text(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: line[$0], as: UTF8.self) }
    }

    /// The decoded name of a method.
    func name(_ envelope: RequestEnvelope) -> String {
        scanner.tape.text(envelope.method, in: line.span)
    }

    /// The tree of the parameters.
    func params(_ envelope: RequestEnvelope) -> JSONValue? {
        envelope.params.map { scanner.tape.value($0, in: line.span) }
    }

    /// The reply to a faulty line.
    var errorReply: String? {
        guard let fault else { return nil }
        var writer = JSONWriter()
        writer.writeError(fault, in: line.span)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
