import NIOCore
import PaymentEngine

/// Work that is done slice by slice, each when it is its user's turn.
protocol SlicedWork: AnyObject {
    /// The user that the work is charged to.
    var user: UInt32 { get }

    /// Works until the end of the slice, and does at least one piece of work. Remaining work offers
    /// itself again.
    func runSlice(until end: NIODeadline)
}

/// Gives slices of the loop to connections and long reads, users in turn.
///
/// The input of one poll of the sockets is collected first. Then slices are given until no work waits or
/// the turn is over. The rest continues after the next poll, so that no peer waits longer than one turn
/// until its bytes are read.
final class Admission {
    private let loop: NIOIsolatedEventLoop
    private let doorbell: Doorbell?
    private let catchUp: SubscriptionCatchUp
    private var ring = UserRing<any SlicedWork>()
    private var limit = TurnLimit()
    /// Whether slices are being given or are scheduled.
    private var isScheduled = false

    /// - Parameters:
    ///   - loop: The loop of the sockets.
    ///   - doorbell: Runs work after the next poll of the sockets; nil where there are none.
    ///   - catchUp: The subscriptions that have their slices between turns.
    init(loop: NIOIsolatedEventLoop, doorbell: Doorbell?, catchUp: SubscriptionCatchUp) {
        self.loop = loop
        self.doorbell = doorbell
        self.catchUp = catchUp
    }

    /// Queues work; it does not run within this call.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - isInput: Whether the work comes from input of the last poll. Other work, which continues after
    ///     a commit or a write, waits for the next poll. Otherwise it would run again after each commit
    ///     without a poll between.
    func offer(_ work: any SlicedWork, isInput: Bool = false) {
        ring.offer(work, of: work.user)
        guard !isScheduled else { return }
        isScheduled = true
        if isInput { loop.execute { [self] in giveSlices() } } else { giveSlicesAfterPoll() }
    }

    private func giveSlicesAfterPoll() {
        guard let doorbell else { return loop.execute { [self] in giveSlices() } }
        doorbell.ring { [self] in giveSlices() }
    }

    private func giveSlices() {
        let begin = NIODeadline.now()
        var now = begin
        while !limit.isOver(since: begin, at: now, waitingUsers: ring.userCount),
            let (work, ofUser) = ring.next()
        {
            work.runSlice(until: now + limit.slice(at: now) / ofUser)
            now = .now()
            limit.served(work.user, at: now)
            if catchUp.isAwaited(besidesBy: work.user) { limit.share(at: now) }
        }
        guard !ring.isEmpty else { return isScheduled = false }
        giveSlicesAfterPoll()
    }
}

/// The lengths of slices and turns. They are long while one user works alone, so that one commit covers
/// much of its work. They are short for a while after a second user has worked: its next request is read
/// only at the end of the running turn, and its reply leaves at the end of the next turn.
struct TurnLimit {
    /// The maximum time of a turn, in which slices are given before the sockets are polled again.
    static let longest = TimeAmount.milliseconds(3)
    /// The maximum time if only one user has work left and others were served lately.
    static let shared = TimeAmount.microseconds(500)
    /// The time that the slices of one user take together, until each of its connections had one.
    static let slice = TimeAmount.milliseconds(2)
    /// The time for which a served user counts as working.
    static let memory = TimeAmount.milliseconds(50)

    private var last: UInt32?
    private var sharedUntil = NIODeadline.uptimeNanoseconds(0)

    /// Notes that a user had a slice.
    mutating func served(_ user: UInt32, at now: NIODeadline) {
        if let last, last != user { share(at: now) }
        last = user
    }

    /// Notes that another user waits for the end of the turn.
    mutating func share(at now: NIODeadline) {
        sharedUntil = now + Self.memory
    }

    /// The time that the slices of one user may take together now.
    func slice(at now: NIODeadline) -> TimeAmount {
        now < sharedUntil ? Self.shared : Self.slice
    }

    /// Whether a turn ends now.
    ///
    /// - Parameters:
    ///   - begin: The beginning of the turn.
    ///   - now: The time.
    ///   - waitingUsers: The number of users with waiting work.
    /// - Returns: True if no further slice may be given.
    func isOver(since begin: NIODeadline, at now: NIODeadline, waitingUsers: Int) -> Bool {
        let isForOne = now < sharedUntil && waitingUsers < 2
        return now >= begin + (isForOne ? Self.shared : Self.longest)
    }
}

extension TimeAmount {
    static func / (amount: TimeAmount, count: Int) -> TimeAmount {
        .nanoseconds(amount.nanoseconds / Int64(max(count, 1)))
    }
}
