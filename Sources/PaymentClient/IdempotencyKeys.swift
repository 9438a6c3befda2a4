#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif
internal import StrictJSON

/// Idempotency keys by intent, on stable storage before their first use.
///
/// An intent is the caller's name for one purchase, for example an order number. While the file
/// exists, an intent keeps its key and is paid at most once. Threads and processes may share a file; a
/// file `.lock` beside it orders their changes.
public final class IdempotencyKeys: Sendable {
    private let path: String

    /// Names the file. It is created with the first key.
    public init(path: String) {
        self.path = path
    }

    /// The key of an intent. A new key is on stable storage before the call returns.
    ///
    /// - Throws: ``KeyFileFailure`` if the file cannot be read or written.
    public func key(for intent: String) throws -> String {
        try withFile {
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

    /// Removes an intent after its goods are delivered. The same name then starts a new purchase.
    ///
    /// - Throws: ``KeyFileFailure`` if the file cannot be read or written.
    public func forget(_ intent: String) throws {
        try withFile {
            let keys = try load()
            let rest = keys.filter { $0.name != intent }
            if rest.count < keys.count { try store(rest) }
        }
    }

    /// A new random key of 128 bits, as 32 hexadecimal digits.
    public static func freshKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let parts = [generator.next(), generator.next()] as [UInt64]
        return parts.map { part in
            let digits = String(part, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Keeps other threads and processes away from the file during a change. The system releases the
    /// lock of a killed process.
    private func withFile<Value>(_ change: () throws -> Value) throws -> Value {
        let file = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw KeyFileFailure("lock", path) }
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw KeyFileFailure("lock", path) }
        }
        return try change()
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

    /// Replaces the whole file atomically: a crash leaves either the old or the new one.
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

/// The failure of a key file. A purchase must not be made without a stored key.
public struct KeyFileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The attempt, its object and the cause.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ what: String, _ path: String) {
        description = "cannot \(what) '\(path)': \(String(cString: strerror(errno)))"
    }
}
