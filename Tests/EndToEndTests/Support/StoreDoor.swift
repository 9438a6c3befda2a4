import Foundation
import Synchronization

/// The way from daemons to their store: a port in front of the store's socket that can be shut, that
/// holds orders back until so many stand before it, that treats requests badly by a seed, and that
/// writes down what came when.
final class StoreDoor: Sendable {
    /// How it treats who comes.
    enum Mode: Sendable {
        /// Everything passes.
        case open
        /// Whatever is asked for, the connection is closed; streams end.
        case shut
        /// Orders wait until so many are there, or all that are still to come; then they pass together.
        case turnstile(width: Int, total: Int)
        /// So many requests of a hundred meet with a fault.
        case faulty(percent: UInt64)
    }

    /// A request that came.
    struct Knock: Sendable {
        var time: ContinuousClock.Instant
        /// Method and path.
        var line: String

        /// Whether somebody only wants to know if the store is there.
        var isProbe: Bool { line.hasPrefix("GET /store-api/v1/store ") }
    }

    /// What it has seen.
    struct Notes: Sendable {
        /// When somebody asked for something while it was shut, and for what.
        var knocks: [Knock] = []
        /// What was asked for first after it was opened again.
        var firstIn: Knock?
        /// The orders that were placed, by transaction, in groups that passed together.
        var groups: [[String]] = []
        /// Most orders that waited for their answer at one moment.
        var mostInFlight = 0
        /// How often each fault was played.
        var faults: [DoorFault: Int] = [:]
        /// Every byte of both directions, if it is told to keep them.
        var traffic: [UInt8] = []
    }

    struct State: Sendable {
        var mode = Mode.open
        var notes = Notes()
        var random: Seeded
        var keepsTraffic = false
        var isStopped = false
        var inFlight = 0
        /// Orders that wait for the turnstile, how many have passed, and how often it has turned.
        var waiting: [String] = []
        var passed = 0
        var turns = 0
    }

    /// What daemons are told for `--store`.
    let address: String
    let state: Mutex<State>
    private let descriptor: Int32
    private let store: String

    /// Opens a door in front of a socket that need not be there yet.
    init(to store: String, seed: UInt64 = 1, keepingTraffic: Bool = false) throws {
        self.store = store
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, size) == 0 && listen(made, 1024) == 0
                    && getsockname(made, $0, &size) == 0
            }
        }
        guard isBound else {
            close(made)
            throw Trouble("cannot listen on a port: \(String(cString: strerror(errno)))")
        }
        descriptor = made
        self.address = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        state = Mutex(State(random: Seeded(seed), keepsTraffic: keepingTraffic))
        Thread.detachNewThread { [self] in accept() }
    }

    /// What it has seen so far.
    var notes: Notes { state.withLock { $0.notes } }

    /// Treats everybody differently from now on.
    func set(_ mode: Mode) {
        state.withLock { state in
            state.mode = mode
            state.notes.firstIn = nil
        }
    }

    /// Shuts it for ever.
    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            let isStopped = state.withLock { $0.isStopped }
            guard connection >= 0, !isStopped else {
                if connection >= 0 { close(connection) }
                if isStopped || (errno != EINTR && errno != ECONNABORTED) { break }
                continue
            }
            let visit = DoorVisit(door: self, client: connection, store: store)
            Thread.detachNewThread { visit.run() }
        }
        close(descriptor)
    }

    /// Somebody asks for something.
    ///
    /// - Returns: Whether the door is open.
    func knock(_ line: String) -> Bool {
        let knock = Knock(time: .now, line: line)
        return state.withLock { state in
            guard case .shut = state.mode else {
                if state.notes.firstIn == nil { state.notes.firstIn = knock }
                return true
            }
            state.notes.knocks.append(knock)
            return false
        }
    }

    /// Whether streams are to end.
    var isShut: Bool {
        state.withLock { state in
            if case .shut = state.mode { return true }
            return state.isStopped
        }
    }

    /// Notes an order that was placed, and lets it through when its turn has come.
    func enter(_ transaction: String) {
        let turn = state.withLock { state -> Int? in
            state.inFlight += 1
            state.notes.mostInFlight = max(state.notes.mostInFlight, state.inFlight)
            guard case .turnstile(let width, let total) = state.mode else { return nil }
            state.waiting.append(transaction)
            let mine = state.turns
            if state.waiting.count >= min(width, total - state.passed) {
                state.notes.groups.append(state.waiting)
                state.passed += state.waiting.count
                state.waiting = []
                state.turns += 1
            }
            return mine
        }
        guard let turn else { return }
        _ = eventually(within: 60) {
            state.withLock { $0.turns > turn || $0.isStopped } ? true : nil
        }
    }

    /// Notes that an order was answered, or that nobody waits for it any more.
    func leave() {
        state.withLock { $0.inFlight -= 1 }
    }

    /// What happens to the next request.
    func nextFault() -> DoorFault {
        state.withLock { state in
            guard case .faulty(let percent) = state.mode else { return .none }
            var fault = DoorFault.none
            if state.random.next() % 100 < percent {
                let kinds = DoorFault.allCases
                fault = kinds[Int(state.random.next() % UInt64(kinds.count))]
            }
            state.notes.faults[fault, default: 0] += 1
            return fault
        }
    }

    /// Keeps bytes that passed.
    func note(_ bytes: [UInt8]) {
        state.withLock { if $0.keepsTraffic { $0.notes.traffic += bytes } }
    }
}

/// What is done to one request on its way.
enum DoorFault: CaseIterable, Sendable {
    /// Passed on, answered.
    case none
    /// Cut before the store heard of it.
    case dropRequest
    /// The store did it; nobody hears.
    case dropAnswer
    /// The store did it; half of the answer arrives.
    case truncate
    /// Passed on later than others.
    case delay
    /// The store hears it twice.
    case duplicate
    /// An error of the way's own, before the store heard of it.
    case error500, error503
    /// An error in place of the store's answer.
    case error503After
    /// A page that is none of the API.
    case page
    /// Bytes that are no HTTP.
    case garbage
}
