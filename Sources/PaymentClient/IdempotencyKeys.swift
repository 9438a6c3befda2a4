#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif
internal import StrictJSON
internal import Synchronization

/// Idempotency keys by intent, on stable storage before they are used.
///
/// An intent is your own name for one wish to buy, for example the number of an order. As long as
/// the file is there the same intent has the same key, and is never paid twice. One process at a
/// time may use a file.
public final class IdempotencyKeys: Sendable {
    private let path: String
    private let lock = Mutex<Void>(())

    /// Names the file; it is made when the first key is.
    public init(path: String) {
        self.path = path
    }

    /// The key of an intent; a new one is on stable storage before this returns.
    ///
    /// - Throws: ``KeyFileFailure``.
    public func key(for intent: String) throws -> String {
        try lock.withLock { _ in
            var keys = try load()
            if let known = keys.first(where: { $0.name == intent })?.value.stringValue {
                return known
            }
            let key = Self.freshKey()
            keys.append(JSONMember(name: intent, value: .string(key)))
            try store(keys)
            return key
        }
    }

    /// Drops an intent whose goods are delivered; the same name may buy again.
    public func forget(_ intent: String) throws {
        try lock.withLock { _ in
            let keys = try load()
            let rest = keys.filter { $0.name != intent }
            if rest.count < keys.count { try store(rest) }
        }
    }

    /// A key that nobody else has.
    public static func freshKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let parts = [generator.next(), generator.next()] as [UInt64]
        return parts.map { part in
            let digits = String(part, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private func load() throws -> [JSONMember] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw KeyFileFailure("read", path) }
            return []
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let got = read(file, &part, part.count)
            guard got >= 0 else { throw KeyFileFailure("read", path) }
            if got == 0 { break }
            bytes += part.prefix(got)
        }
        guard let members = try? JSONValue(parsing: bytes, limits: .trusted).members else {
            throw KeyFileFailure(
                "'\(path)' is not a key file; remove it only if no purchase is pending")
        }
        return members
    }

    /// Replaces the file as a whole; after a crash either the old or the new one is there.
    private func store(_ keys: [JSONMember]) throws {
        let aside = "\(path).new"
        let file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw KeyFileFailure("write", aside) }
        let bytes = Array((JSONValue.object(keys).jsonText() + "\n").utf8)
        var isWritten = true
        var offset = 0
        while isWritten, offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                write(file, buffer.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if written > 0 { offset += written } else { isWritten = errno == EINTR }
        }
        isWritten = isWritten && fsync(file) == 0
        close(file)
        guard isWritten else { throw KeyFileFailure("write", aside) }
        guard rename(aside, path) == 0 else { throw KeyFileFailure("rename", aside) }
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw KeyFileFailure("open the directory of", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw KeyFileFailure("sync the directory of", path) }
    }
}

/// A file of keys could not be used. Do not buy without a key that is on disk.
public struct KeyFileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The attempt, its object, and the reason of its failure.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ what: String, _ path: String) {
        description = "cannot \(what) '\(path)': \(String(cString: strerror(errno)))"
    }
}
