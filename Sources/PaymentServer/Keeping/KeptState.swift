import PaymentCore
import PaymentEngine

/// Everything that has to be known of a connection to go on with it in another process.
struct KeptState {
    /// The log that its cursors belong to.
    var epoch: String
    /// The number that stands on records it caused.
    var number: UInt64
    /// How many requests it has made.
    var requests: UInt64 = 0
    /// Whether it is in the middle of a line that is too long.
    var isDropping = false
    /// The name that the client gave.
    var client: OpaqueText?
    /// Its subscriptions.
    var subscriptions: [SubscriptionPlace] = []
    /// Its calls that wait.
    var calls: [Call] = []
    /// The part of it that was read and has not been run.
    var input: [UInt8] = []
    /// The bytes promised to it and not yet handed to the kernel.
    var unsent: [UInt8] = []

    /// A call that waits.
    enum Call: Hashable {
        /// It only asks, and may be asked again: its line.
        case again(line: [UInt8])
        /// It is answered that nobody knows: its id. A notification needs no answer.
        case interrupted(id: [UInt8])
    }
}

/// Bytes in two parts: a head of numbers that change all the time, and the rest.
///
/// All numbers are little-endian. The head's first byte is the version of the layout; another one is
/// not understood, and its connection is closed.
extension KeptState {
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

    /// Reads both parts; nil if this is none of ours.
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
