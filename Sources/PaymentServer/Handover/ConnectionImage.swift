import PaymentCore
import PaymentEngine

/// The state of a connection, enough to continue it in another process.
struct ConnectionImage {
    /// The log that its cursors belong to.
    var epoch: String
    /// The number of the connection, which its records contain.
    var number: UInt64
    /// How many requests it has made.
    var requests: UInt64 = 0
    /// Whether it is in the middle of a line that is too long.
    var isDropping = false
    /// The name that the client gave.
    var client: OpaqueText?
    /// The subscriptions.
    var subscriptions: [SubscriptionPlace] = []
    /// The calls that wait.
    var calls: [Call] = []
    /// The bytes that were received and not served.
    var input: [UInt8] = []
    /// The output for the peer that the kernel has not taken.
    var unsent: [UInt8] = []

    /// A call that waits.
    enum Call: Hashable {
        /// A call that only reads. The next process repeats its line.
        case again(line: [UInt8])
        /// A call that the next process answers with an error, by its id. The id of a notification is empty,
        /// and it gets no answer.
        case interrupted(id: [UInt8])
    }
}

extension ConnectionImage {
    /// Creates the image of a connection that has nothing in progress.
    init(
        epoch: String, _ caller: Caller, _ reader: LineReader, _ pipeline: RequestPipeline,
        _ subscriptions: [Subscription], unsent: [UInt8] = []
    ) {
        self.init(epoch: epoch, number: caller.number)
        requests = pipeline.count
        isDropping = reader.isInsideLongLine
        client = caller.clientName
        self.subscriptions = subscriptions.map(\.place)
        calls = pipeline.calls.map { call in
            call.line.map { .again(line: $0) } ?? .interrupted(id: call.idBytes ?? [])
        }
        input = reader.unread
        self.unsent = unsent
    }

    /// How many lines of the pending input are calls that were accepted before.
    var linesToRepeat: Int {
        calls.count { if case .again = $0 { true } else { false } }
    }

    /// The input that the next process begins with: the lines of calls that it repeats, then what was
    /// received and not served.
    ///
    /// - Parameter limitBytes: The longest request line.
    /// - Returns: The bytes.
    func pendingInput(limitBytes: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for case .again(let line) in calls {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        if isDropping {
            // The beginning of the line is lost. Any other line that is too long is refused in the same way.
            bytes += [UInt8](repeating: UInt8(ascii: "-"), count: limitBytes + 2)
        }
        return bytes + input
    }
}

/// The image as bytes in two parts: a head of numbers that change all the time, and the rest.
///
/// All numbers are little-endian. The first byte of the head is the version of the layout; a connection with
/// another one is closed.
extension ConnectionImage {
    private static let version: UInt8 = 1

    /// The numbers.
    var head: [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(24 + subscriptions.count * 41)
        writer.byte(Self.version)
        writer.byte(isDropping ? 1 : 0)
        writer.number(requests)
        writer.number(UInt64(subscriptions.count))
        for place in subscriptions {
            writer.number(place.scanned)
            writer.number(place.previous)
            writer.number(place.baseline)
            writer.number(place.questionsShown)
            writer.byte(place.stage.rawValue)
            writer.byte(place.skipsRedelivery ? 1 : 0)
        }
        return writer.bytes
    }

    /// Everything else.
    var rest: [UInt8] {
        var writer = ByteWriter()
        writer.text(epoch)
        writer.number(number)
        writer.optional(client) { $0.text($1.string) }
        for place in subscriptions {
            writer.number(place.number)
            writer.number(place.began)
            writer.request(place.request)
        }
        writer.list(calls) { writer, call in
            switch call {
            case .again(let line):
                writer.byte(0)
                writer.run(line)
            case .interrupted(let id):
                writer.byte(1)
                writer.run(id)
            }
        }
        writer.run(input)
        writer.run(unsent)
        return writer.bytes
    }

    /// Reads both parts; nil if the bytes are not an image.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.version else { return nil }
        let isDropping = reader.flag()
        let requests = reader.number()
        let count = reader.count(atLeast: 34)
        let fixed = (0..<count).map { _ in
            (
                numbers: (0..<4).map { _ in reader.number() }, stage: reader.byte(),
                skips: reader.flag()
            )
        }
        epoch = reader.text()
        number = reader.number()
        self.isDropping = isDropping
        self.requests = requests
        client = reader.optional { OpaqueText($0.text()) }
        for part in fixed {
            guard let stage = SubscriptionPlace.Stage(rawValue: part.stage) else { return nil }
            let (number, began) = (reader.number(), reader.number())
            guard let request = reader.request() else { return nil }
            subscriptions.append(
                SubscriptionPlace(
                    number: number, request: request, began: began, scanned: part.numbers[0],
                    previous: part.numbers[1], baseline: part.numbers[2],
                    questionsShown: part.numbers[3], skipsRedelivery: part.skips, stage: stage))
        }
        calls = reader.list(atLeast: 9) { reader in
            reader.byte() == 0 ? .again(line: reader.run()) : .interrupted(id: reader.run())
        }
        input = reader.run()
        unsent = reader.run()
        guard reader.isIntact, reader.isAtEnd else { return nil }
    }
}

extension ByteWriter {
    fileprivate mutating func request(_ request: SubscriptionRequest) {
        optional(request.after) { $0.number($1) }
        optional(request.kinds) { writer, kinds in
            writer.list(kinds.map(\.rawValue).sorted()) { $0.text($1) }
        }
        optional(request.products) { writer, products in
            writer.list(products.sorted(by: OpaqueText.precedes)) { $0.text($1.string) }
        }
        byte(request.isPassive ? 1 : 0)
        optional(request.heartbeat) { $0.number(UInt64(max(0, $1.wholeMilliseconds))) }
        byte(request.onGap == .snapshot ? 0 : 1)
        optional(request.name) { $0.text($1.string) }
        list(request.agents.map(\.rawValue).sorted()) { $0.text($1) }
        byte(request.mayAnswer ? 1 : 0)
    }
}

extension ByteReader {
    /// A request; nil if it names what this version does not know.
    fileprivate mutating func request() -> SubscriptionRequest? {
        var request = SubscriptionRequest()
        request.after = optional { $0.number() }
        let kinds = optional { $0.list(atLeast: 8) { EventKind(rawValue: $0.text()) } }
        request.products = optional { Set($0.list(atLeast: 8) { OpaqueText($0.text()) }) }
        request.isPassive = flag()
        request.heartbeat = optional {
            .milliseconds(Int64(truncatingIfNeeded: $0.number() & UInt64(Int32.max)))
        }
        request.onGap = flag() ? .end : .snapshot
        request.name = optional { OpaqueText($0.text()) }
        let agents = list(atLeast: 8) { AgentKind(rawValue: $0.text()) }
        request.mayAnswer = flag()
        guard isIntact, agents.allSatisfy({ $0 != nil }), kinds?.allSatisfy({ $0 != nil }) ?? true
        else { return nil }
        request.agents = Set(agents.compactMap(\.self))
        request.kinds = kinds.map { Set($0.compactMap(\.self)) }
        return request
    }
}
