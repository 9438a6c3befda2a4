public import PaymentCore
import StrictJSON

/// The keys of one queue in etcd, all below one prefix.
///
/// | Key | Value |
/// |---|---|
/// | `head` | the end of the log, and the term of the owner that wrote it |
/// | `log/` and the number of the first line, as 20 digits | whole lines, as they are in the files |
/// | `owner` | the owner of the log; it ends with the lease of the node, and its create revision is the owner's term |
/// | `format` | `format.json` of the queue |
/// | `nodes/` and the name of a node | the end of its copy on stable storage |
/// | `shared/` and the name of a file | the bytes of a file that the owner leaves to the next one |
/// | `up/`, the name of a node, `/` and its lease | nothing; it ends with the lease |
struct ClusterKeys: Sendable {
    let prefix: String

    var head: String { "\(prefix)/head" }
    var owner: String { "\(prefix)/owner" }
    var format: String { "\(prefix)/format" }
    var nodes: EtcdRange { EtcdRange(key: "\(prefix)/nodes/", end: nodesEnd) }
    var nodesEnd: String { "\(prefix)/nodes0" }

    func node(_ name: String) -> String { "\(prefix)/nodes/\(name)" }

    /// The key of a file that owners share.
    func shared(_ name: String) -> String { "\(prefix)/shared/\(name)" }

    /// The key of a node that is up by a lease. A late request of a former process has another lease, and so
    /// another key.
    func up(_ name: String, _ lease: Int64) -> String { "\(prefix)/up/\(name)/\(lease)" }

    /// The name of the node in the key of one that is up.
    func name(ofUp key: String) -> String {
        String(key.dropFirst("\(prefix)/up/".count).prefix { $0 != "/" })
    }

    /// The keys of all nodes that are up.
    var allUp: EtcdRange { EtcdRange(key: "\(prefix)/up/", end: "\(prefix)/up0") }

    /// The key of the lines that begin with a number. Its order as bytes is that of the numbers.
    func lines(from first: SequenceNumber) -> String {
        let digits = String(first)
        return "\(prefix)/log/\(String(repeating: "0", count: max(0, 20 - digits.count)))\(digits)"
    }

    /// The first key after all lines.
    var linesEnd: String { "\(prefix)/log0" }

    /// The number in the key of lines; nil for another key.
    func first(ofLines key: String) -> SequenceNumber? {
        let start = "\(prefix)/log/"
        guard key.hasPrefix(start) else { return nil }
        return SequenceNumber(key.dropFirst(start.count))
    }
}

/// The end of a log.
public struct LogEnd: Sendable, Equatable {
    /// The sequence number that the next line gets.
    public var next: SequenceNumber
    /// The checksum of the last line.
    public var chain: UInt32

    /// Creates an end.
    public init(next: SequenceNumber, chain: UInt32) {
        self.next = next
        self.chain = chain
    }
}

/// The value of the key `head`.
struct ClusterHead: Equatable {
    var end: LogEnd
    /// The term of the owner that wrote it; 0 at the beginning.
    var term: UInt64

    init(end: LogEnd, term: UInt64) {
        self.end = end
        self.term = term
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes),
            let next = json["next"]?.intValue.flatMap({ SequenceNumber(exactly: $0) }), next > 0,
            let chain = json["c"]?.stringValue.flatMap({ UInt32($0, radix: 16) }),
            let term = json["term"]?.intValue.flatMap({ UInt64(exactly: $0) })
        else { return nil }
        self.init(end: LogEnd(next: next, chain: chain), term: term)
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("c", end.chain.eightDigits)
        writer.name("next")
        writer.integer(end.next)
        writer.name("term")
        writer.integer(term)
        writer.endObject()
        return writer.bytes
    }
}

extension UInt32 {
    /// The number as eight hexadecimal digits.
    var eightDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The description of a node for the other nodes of its cluster.
public struct ClusterNode: Sendable, Equatable {
    /// The name, of letters, digits, `.`, `-` and `_`; no two nodes have the same.
    public var name: String
    /// The address at which other nodes reach it, as host and port; nil if they cannot.
    public var peer: String?
    /// The version of its program.
    public var version: String

    /// Creates a node.
    public init(name: String, peer: String?, version: String) {
        self.name = name
        self.peer = peer
        self.version = version
    }

    /// Reads the value of the keys `owner` and `nodes/`.
    init?(_ json: JSONValue) {
        guard let name = json["node"]?.stringValue else { return nil }
        self.init(
            name: name, peer: json["peer"]?.stringValue,
            version: json["version"]?.stringValue ?? "")
    }

    /// Writes the members of the value.
    func write(to writer: inout JSONWriter) {
        writer.member("node", name)
        writer.member("peer", peer)
        writer.member("version", version)
    }
}

/// The owner of a log.
public struct ClusterOwner: Sendable, Equatable {
    /// The node that owns the log.
    public var node: ClusterNode
    /// Its term: the revision at which it became the owner, greater than that of every owner before.
    public var term: UInt64
    /// The lease of its key. The key is removed when the lease ends.
    var lease: Int64

    init(node: ClusterNode, term: UInt64, lease: Int64) {
        self.node = node
        self.term = term
        self.lease = lease
    }

    init?(_ entry: EtcdEntry) {
        guard let json = try? JSONValue(parsing: entry.value), let node = ClusterNode(json),
            let term = UInt64(exactly: entry.created)
        else { return nil }
        self.init(node: node, term: term, lease: json.revision("lease"))
    }

    /// The value of the key `owner`.
    static func value(_ node: ClusterNode, lease: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("lease", String(lease))
        node.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

/// The end of a log and its owner, as etcd had them at one revision.
struct HeadAndOwner: Sendable {
    var head: ClusterHead
    /// The revision at which the head was changed last.
    var revision: Int64
    var owner: ClusterOwner?
}
