import NIOCore
import PaymentCore
import PaymentEngine

/// Keeps a connection in a store, with its image in memory that outlives the process.
///
/// The memory is marked as not whole before any byte is read or sent, and until nothing is in progress any
/// more. The process may be killed at any instant. The next process then either reads the exact state of the
/// connection, or finds it not whole and closes the connection.
final class StoredHandover: Handover {
    /// The age at which a connection without a subscription is kept. Most connections are closed before that.
    static let delay = TimeAmount.milliseconds(100)
    /// The prefix of all names.
    static let prefix = "client-"

    private let store: any ConnectionStore
    private let name: String
    private var memory: (any KeptMemory)?
    private var isChanging: Bool
    private var storedRest: RestSummary?
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - store: The store.
    ///   - name: The name of the connection in the store.
    ///   - memory: The memory of a connection that an earlier process left there.
    init(store: any ConnectionStore, name: String, memory: (any KeptMemory)? = nil) {
        self.store = store
        self.name = name
        self.memory = memory
        isChanging = memory == nil
    }

    var isPossible: Bool { true }
    var keepsAhead: Bool { store.keepsAhead }
    var isEnabled: Bool { memory != nil }
    var wantsImage: Bool { isChanging && memory != nil }

    func begin(
        _ channel: any Channel, on loop: NIOIsolatedEventLoop, _ enable: @escaping () -> Void
    ) {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        try? channel.syncOptions?.setOption(.recvAllocator, value: MarkingAllocator(bound))
        guard memory == nil, store.keepsAhead else { return }
        timer = loop.scheduleTask(in: Self.delay, enable)
    }

    func enable(descriptor: Int32) -> Bool {
        timer?.cancel()
        memory = memory ?? store.keep(descriptor: descriptor, name: name)
        return memory != nil
    }

    func willChange() {
        guard !isChanging else { return }
        isChanging = true
        memory?.beginChange()
    }

    func didSettle(_ image: ConnectionImage, isFinal: Bool) -> Bool {
        guard let memory else { return false }
        let summary = RestSummary(image)
        let isSame = !isFinal && summary != nil && summary == storedRest
        guard memory.settle(head: image.head, rest: isSame ? nil : image.rest) else { return false }
        storedRest = summary
        isChanging = false
        return true
    }

    func drop() {
        timer?.cancel()
        guard let memory else { return }
        // A next process that still finds it must not continue it.
        memory.beginChange()
        store.drop(name: name)
        self.memory = nil
    }
}

/// A summary of the second part of an image. Equal summaries mean that the part has not changed. Nil for an
/// image with calls or bytes, which is always written.
private struct RestSummary: Equatable {
    private let client: OpaqueText?
    private let count: Int
    private let last: UInt64?
    private let named: Int

    init?(_ image: ConnectionImage) {
        guard image.calls.isEmpty, image.input.isEmpty, image.unsent.isEmpty else { return nil }
        client = image.client
        count = image.subscriptions.count
        // Numbers are never given twice, so other subscriptions mean another count or another last.
        last = image.subscriptions.last?.number
        // A subscription gets no other name; it can only lose the one that it has.
        named = image.subscriptions.count { $0.request.name != nil }
    }
}

/// Marks the image before each read of a socket, because its bytes are about to move.
private struct MarkingAllocator: RecvByteBufferAllocator {
    private var sizes = ClientSocket.readSizes
    private let handover: NIOLoopBound<StoredHandover>

    init(_ handover: NIOLoopBound<StoredHandover>) {
        self.handover = handover
    }

    /// Called by the channel right before it reads.
    func nextBufferSize() -> Int? {
        handover.value.willChange()
        return sizes.nextBufferSize()
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        handover.value.willChange()
        return sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        sizes.record(actualReadBytes: actualReadBytes)
    }
}
