import StrictJSON

/// A transaction: comparisons, and the operations that follow if all of them hold or if one does not.
///
/// etcd executes it at one revision. Decisions are made only in transactions that write. In some versions a
/// read can return older data than was acknowledged, even in a transaction that only reads. If a node acts on
/// such a stale read, the next append is refused.
struct EtcdTransaction: Sendable {
    /// A condition.
    enum Comparison: Sendable {
        /// The key was created at this revision; 0 if it does not exist.
        case created(String, Int64)
        /// The key was changed last at this revision; 0 if it does not exist.
        case changed(String, Int64)
        /// No key from the first up to the second, which is not compared, was changed after this revision.
        case unchanged(from: String, to: String, since: Int64)
    }

    /// A step.
    enum Operation: Sendable {
        /// Sets a key, which ends with the lease if it has one.
        case put(String, [UInt8], lease: Int64 = 0)
        /// Reads a key, or all keys in a range; see ``EtcdRange``.
        case read(EtcdRange)
        /// Removes the keys from the first up to the second, which stays.
        case remove(from: String, to: String)
        /// Removes a key.
        case removeKey(String)
    }

    var when: [Comparison] = []
    var then: [Operation] = []
    var otherwise: [Operation] = []

    /// The body of the request.
    var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("compare")
        writer.beginArray()
        for comparison in when {
            writer.element()
            Self.write(comparison, to: &writer)
        }
        writer.endArray()
        writer.name("failure")
        Self.write(otherwise, to: &writer)
        writer.name("success")
        Self.write(then, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ comparison: Comparison, to writer: inout JSONWriter) {
        writer.beginObject()
        switch comparison {
        case .created(let key, let revision):
            write("create_revision", revision, of: key, "EQUAL", "CREATE", to: &writer)
        case .changed(let key, let revision):
            write("mod_revision", revision, of: key, "EQUAL", "MOD", to: &writer)
        case .unchanged(let key, let end, let revision):
            write("mod_revision", revision + 1, of: key, "LESS", "MOD", to: &writer)
            writer.name("range_end")
            writer.base64(Array(end.utf8))
        }
        writer.endObject()
    }

    private static func write(
        _ name: StaticString, _ revision: Int64, of key: String, _ result: String,
        _ target: String, to writer: inout JSONWriter
    ) {
        writer.name(name)
        writer.string(String(revision))
        writer.name("key")
        writer.base64(Array(key.utf8))
        writer.name("result")
        writer.string(result)
        writer.name("target")
        writer.string(target)
    }

    private static func write(_ operations: [Operation], to writer: inout JSONWriter) {
        writer.beginArray()
        for operation in operations {
            writer.element()
            writer.beginObject()
            switch operation {
            case .put(let key, let value, let lease):
                writer.name("request_put")
                writer.beginObject()
                writer.name("key")
                writer.base64(Array(key.utf8))
                if lease != 0 {
                    writer.name("lease")
                    writer.string(String(lease))
                }
                writer.name("value")
                writer.base64(value)
                writer.endObject()
            case .read(let range):
                writer.name("request_range")
                range.write(to: &writer)
            case .remove(let key, let end):
                writer.name("request_delete_range")
                writer.beginObject()
                writer.name("key")
                writer.base64(Array(key.utf8))
                writer.name("range_end")
                writer.base64(Array(end.utf8))
                writer.endObject()
            case .removeKey(let key):
                writer.name("request_delete_range")
                writer.beginObject()
                writer.name("key")
                writer.base64(Array(key.utf8))
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
    }
}

/// The keys that a request reads.
struct EtcdRange: Sendable {
    /// The key, or the first of the range.
    var key: String
    /// The first key after the range; nil for one key.
    var end: String?
    /// The most keys in the answer; 0 for all.
    var limit = 0
    /// Whether the last keys of the range come first.
    var isDescending = false

    /// Writes the request.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("key")
        writer.base64(Array(key.utf8))
        if limit > 0 {
            writer.name("limit")
            writer.string(String(limit))
        }
        if let end {
            writer.name("range_end")
            writer.base64(Array(end.utf8))
        }
        // By default the keys come in ascending order. With a sort order etcd first reads and sorts the whole
        // range.
        if isDescending {
            writer.name("sort_order")
            writer.string("DESCEND")
            writer.name("sort_target")
            writer.string("KEY")
        }
        writer.endObject()
    }
}

/// A key with its value.
struct EtcdEntry: Sendable, Equatable {
    var key: String
    var value: [UInt8]
    /// The revisions at which it was created, and changed last.
    var created: Int64
    var changed: Int64

    /// Reads an entry of an answer, in which zeros and empty values are left out.
    init?(_ json: JSONValue) {
        guard let key = json["key"]?.stringValue.flatMap(Base64.decode),
            let value = Base64.decode(json["value"]?.stringValue ?? "")
        else { return nil }
        self.key = String(decoding: key, as: UTF8.self)
        self.value = value
        created = json.revision("create_revision")
        changed = json.revision("mod_revision")
    }
}

/// The answer to a transaction.
struct EtcdAnswer: Sendable {
    /// Whether all comparisons held.
    var succeeded: Bool
    /// The revision of the store at the transaction.
    var revision: Int64
    /// The entries of each operation that reads, in order.
    var reads: [[EtcdEntry]]

    /// Reads the body of an answer; nil if it has another shape.
    init?(_ json: JSONValue) {
        guard let header = json["header"] else { return nil }
        revision = header.revision("revision")
        succeeded = json["succeeded"]?.boolValue ?? false
        reads = []
        for response in json["responses"]?.arrayValue ?? [] {
            guard let range = response["response_range"] else { continue }
            guard let entries = Self.entries(range) else { return nil }
            reads.append(entries)
        }
    }

    /// The entries of an answer to a read; nil if one has another shape.
    static func entries(_ json: JSONValue) -> [EtcdEntry]? {
        var entries: [EtcdEntry] = []
        for item in json["kvs"]?.arrayValue ?? [] {
            guard let entry = EtcdEntry(item) else { return nil }
            entries.append(entry)
        }
        return entries
    }
}

extension JSONValue {
    /// A number of 64 bits, which etcd writes as text and leaves out if it is 0.
    func revision(_ name: String) -> Int64 {
        guard let value = self[name] else { return 0 }
        return value.stringValue.flatMap { Int64($0) } ?? value.intValue ?? 0
    }
}

extension JSONWriter {
    /// Appends bytes as Base64 in quotation marks.
    mutating func base64(_ bytes: [UInt8]) {
        raw("\"")
        Base64.append(bytes, to: &self.bytes)
        raw("\"")
    }
}
