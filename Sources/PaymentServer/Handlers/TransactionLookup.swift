import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// A call of `transactions` with identifiers. It reads slice by slice, because transactions that
/// have left the queue may be on disk.
final class TransactionLookup: SlicedWork {
    let user: UInt32
    private let handlers: QueueHandlers
    private let filter: TransactionFilter
    private let withEnded: Bool
    private var left: ArraySlice<TransactionReference>
    private var entries: [Transactions.Result.Entry] = []
    private let sequence: SequenceNumber
    private var call: WaitingCall?

    /// Creates a lookup; nothing is looked up yet.
    ///
    /// - Parameters:
    ///   - ids: The identifiers.
    ///   - params: The other parameters of the call.
    ///   - request: The call, whose user the slices are charged to.
    ///   - handlers: The handlers of the queue.
    init(
        _ ids: [TransactionReference], _ params: Transactions.Params, _ request: Request,
        _ handlers: QueueHandlers
    ) {
        self.handlers = handlers
        user = request.connection.user
        withEnded = request.seesEnded
        filter = TransactionFilter(params)
        left = ids[...]
        sequence = handlers.engine.queue.head
    }

    /// Whether all identifiers were looked up.
    var isDone: Bool { left.isEmpty }

    /// The transactions found so far.
    var page: Transactions.Result { Transactions.Result(entries: entries, sequence: sequence) }

    /// Looks up identifiers, at least one.
    ///
    /// - Parameter end: The end of the slice; nil to look all of them up.
    /// - Throws: The error that the call is answered with.
    func advance(until end: NIODeadline?) throws(ErrorObject) {
        while let reference = left.popFirst() {
            let entry = try handlers.visibleEntry(reference.id, withEnded: withEnded)
            if let entry, filter.admits(entry) { entries.append(entry) }
            if let end, NIODeadline.now() >= end { return }
        }
    }

    /// Continues until the call can be answered.
    func begin(for call: WaitingCall) {
        self.call = call
        handlers.context.admission.offer(self)
    }

    func runSlice(until end: NIODeadline) {
        guard let call, !call.isDone else { return }
        do throws(ErrorObject) {
            try advance(until: end)
        } catch {
            return call.fail(error)
        }
        if isDone { call.succeed(page) } else { handlers.context.admission.offer(self) }
    }
}
