import HTTPTypes
import Hummingbird
import PaymentCore
import PaymentStorage
import StoreMessages
import StrictJSON

/// The latest term of each queue that several nodes share. One node at a time owns such a queue, and each
/// owner has a later term than the previous one.
///
/// Requests about orders contain the term, and a request of a former owner is refused. Otherwise an order
/// of that owner could arrive after the present owner has asked for it and found none.
///
/// A term is on disk before its request is answered, in one file for each account and queue.
actor OwnerTerms {
    private static let queueHeader = HTTPField.Name(StoreAPI.queueHeader)
    private static let termHeader = HTTPField.Name(StoreAPI.termHeader)
    /// The permitted terms: the positive integers that a JSON number represents exactly.
    private static let terms: ClosedRange<UInt64> = 1...(1 << 53 - 1)
    /// The maximum number of queues of one account. A further one replaces the queue whose term changed
    /// first.
    static let queuesPerAccount = 16

    private struct Entry {
        var queue: String
        var term: UInt64
        /// The number of the change, which orders the entries by age.
        var number: UInt64
    }

    private var entries: [AccountName: [Entry]] = [:]
    private var lastNumber: UInt64 = 0
    private let files: SmallFiles

    /// Reads the terms.
    ///
    /// - Throws: A file cannot be read.
    init(files: SmallFiles) throws {
        self.files = files
        for name in try files.names() {
            guard let bytes = try files.read(name) else { continue }
            do {
                let fields = try MessageFields(parsing: bytes)
                let entry = Entry(
                    queue: try fields.required("queue", { $0 }),
                    term: try fields.required("term") { UInt64($0) },
                    number: try fields.required("number") { UInt64($0) })
                let account = try fields.required("account") { AccountName($0) }
                entries[account, default: []].append(entry)
                lastNumber = max(lastNumber, entry.number)
            } catch {
                throw StartFailure.configuration(
                    "the file 'terms/\(name)' is damaged: \(error); remove it while no queue of several "
                        + "nodes uses this store")
            }
        }
    }

    /// Refuses a request of a former owner, and notes the term of a new one.
    ///
    /// - Parameters:
    ///   - request: The request. A request without both headers belongs to a queue with one node.
    ///   - account: The account of its session.
    /// - Throws: `conflict` for a former owner; `badRequest`; or the disk has failed.
    func admit(_ request: Request, of account: AccountName) throws {
        guard let queueHeader = Self.queueHeader, let termHeader = Self.termHeader,
            let queue = request.headers[queueHeader], let text = request.headers[termHeader]
        else { return }
        guard (1...64).contains(queue.utf8.count), queue.utf8.allSatisfy(Self.isAllowed),
            let term = UInt64(text), Self.terms.contains(term)
        else { throw FailureMessage(.badRequest, "the headers name no queue and term") }
        try admit(queue, term, of: account)
    }

    private func admit(_ queue: String, _ term: UInt64, of account: AccountName) throws {
        var known = entries[account] ?? []
        if let entry = known.first(where: { $0.queue == queue }) {
            guard term >= entry.term else {
                throw FailureMessage(
                    .conflict,
                    "the queue has an owner with the later term \(entry.term); this request has \(term)"
                )
            }
            guard term > entry.term else { return }
        }
        let entry = Entry(queue: queue, term: term, number: lastNumber + 1)
        try files.replace(Self.name(of: queue, account), with: Self.bytes(entry, account))
        lastNumber = entry.number
        known.removeAll { $0.queue == queue }
        known.append(entry)
        entries[account] = known
        if known.count > Self.queuesPerAccount,
            let oldest = known.min(by: { $0.number < $1.number })
        {
            try files.remove(Self.name(of: oldest.queue, account))
            entries[account]?.removeAll { $0.queue == oldest.queue }
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func name(of queue: String, _ account: AccountName) -> String {
        "\(TokenDigest(of: "\(queue)/\(account.string)")).json"
    }

    private static func bytes(_ entry: Entry, _ account: AccountName) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("account", account.string)
        writer.member("number", String(entry.number))
        writer.member("queue", entry.queue)
        writer.member("term", String(entry.term))
        writer.endObject()
        return writer.bytes
    }
}
