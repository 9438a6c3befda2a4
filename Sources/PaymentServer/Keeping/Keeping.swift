import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// How one connection is kept over the end of this process.
///
/// Beside its socket lies memory that says what the peer was told last and what of it was read. From
/// before a byte moves, in or out, until nothing is under way any more that memory says that it is not
/// whole. So at whatever instant the process is killed, the next one either knows exactly where the
/// connection stands or knows that it does not, and closes it.
final class Keeping {
    /// How long a connection that watches nothing lives before it is kept: most are gone by then.
    static let patience = TimeAmount.milliseconds(100)
    /// The prefix of all names.
    static let prefix = "client-"

    /// The name that it is kept under.
    let name: String
    /// The notes stored with it; nil as long as it is not kept.
    private(set) var memory: (any KeptMemory)?
    /// The bytes handed to the channel and not yet taken by the kernel, and perhaps more before.
    private(set) var handed: [ByteBuffer] = []
    /// Whether somebody will tell when the kernel has taken everything.
    var isWatched = false
    /// Whether requests are being run.
    private var isRunning = false
    /// Whether the connection goes on in another process, and ends here without a trace.
    var isHandedOver = false

    private let store: any ConnectionStore
    private var isChanging = true
    private var settledRest: RestSummary?
    private var timer: Scheduled<Void>?

    init(store: any ConnectionStore, name: String, memory: (any KeptMemory)? = nil) {
        self.store = store
        self.name = name
        self.memory = memory
        isChanging = memory == nil
    }

    /// Has the connection kept from now on.
    ///
    /// - Returns: False if there is no room.
    func begin(descriptor: Int32) -> Bool {
        timer?.cancel()
        guard memory == nil else { return true }
        memory = store.keep(descriptor: descriptor, name: name)
        return memory != nil
    }

    /// Has it kept after a while.
    func begin(on loop: NIOIsolatedEventLoop, _ begin: @escaping () -> Void) {
        timer = loop.scheduleTask(in: Self.patience, begin)
    }

    /// The connection is gone.
    func end() {
        timer?.cancel()
        if let memory, !isHandedOver {
            // A next process that still finds it must not take it for one that goes on.
            memory.beginChange()
            store.drop(name: name)
        }
        memory = nil
    }

    /// Bytes are about to move, or a request to run.
    func beginChange() {
        guard !isChanging else { return }
        isChanging = true
        memory?.beginChange()
    }

    /// Requests are going to be run.
    func beginRunning() {
        beginChange()
        isRunning = true
    }

    /// Those that could be run were.
    func endRunning() {
        isRunning = false
    }

    /// Whether there is something to put down.
    var wantsToSettle: Bool { isChanging && memory != nil && !isRunning && handed.isEmpty }

    /// Puts a state down.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - isFinal: Whether the next to read it is another process.
    /// - Returns: Whether it was put down.
    func settle(_ state: KeptState, isFinal: Bool = false) -> Bool {
        guard let memory else { return false }
        let summary = RestSummary(state)
        let isSame = !isFinal && summary != nil && summary == settledRest
        guard memory.settle(head: state.head, rest: isSame ? nil : state.rest) else { return false }
        settledRest = summary
        isChanging = false
        return true
    }

    /// Notes bytes that were handed to the channel.
    ///
    /// - Parameters:
    ///   - buffer: The bytes, if there are new ones.
    ///   - waiting: How many bytes the kernel has not taken, these and earlier ones.
    func hand(_ buffer: ByteBuffer?, waiting: Int) {
        guard waiting > 0 else { return handed.removeAll() }
        if let buffer { handed.append(buffer) }
        var surplus = handed.reduce(0) { $0 + $1.readableBytes } - waiting
        while let first = handed.first, surplus >= first.readableBytes {
            surplus -= first.readableBytes
            handed.removeFirst()
        }
        if surplus > 0, !handed.isEmpty { handed[0].moveReaderIndex(forwardBy: surplus) }
    }

    /// The bytes that the kernel has not taken.
    var unsent: [UInt8] { handed.flatMap { Array($0.readableBytesView) } }
}

/// Enough of the second part of a state to see that it is the same as before; nil if it would take
/// too much to see.
private struct RestSummary: Equatable {
    private let client: OpaqueText?
    private let count: Int
    private let last: UInt64?

    init?(_ state: KeptState) {
        guard state.calls.isEmpty, state.input.isEmpty, state.unsent.isEmpty else { return nil }
        client = state.client
        count = state.subscriptions.count
        // Numbers are never given twice, so other subscriptions mean another count or another last.
        last = state.subscriptions.last?.number
    }
}

/// Says before each read of a socket that its bytes are about to move.
struct MarkingAllocator: RecvByteBufferAllocator {
    private var sizes = AdaptiveRecvByteBufferAllocator()
    private let keeping: NIOLoopBound<Keeping>

    init(_ keeping: NIOLoopBound<Keeping>) {
        self.keeping = keeping
    }

    /// Called by the channel right before it reads.
    func nextBufferSize() -> Int? {
        keeping.value.beginChange()
        return sizes.nextBufferSize()
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        keeping.value.beginChange()
        return sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        sizes.record(actualReadBytes: actualReadBytes)
    }
}
