internal import CSystemd
internal import Glibc

/// The listening Unix sockets that the service manager opened for this process.
public struct InheritedSockets: Sendable, Hashable {
    /// A socket to accept clients from. The process owns the descriptor now.
    public struct Listener: Sendable, Hashable {
        /// The descriptor, marked close-on-exec.
        public let descriptor: Int32
        /// The name that the manager gave it.
        public let name: String
        /// Where clients find it: a path, or `@` and a name in the abstract name space. Nil if the
        /// system would not say. Never unlink it: it belongs to the manager.
        public let path: String?
    }

    /// The descriptors that an earlier process stored (see ``DescriptorStore``). The
    /// process owns the descriptor now; the manager keeps its own copy.
    public struct Stored: Sendable, Hashable {
        /// The kind of a stored descriptor.
        public enum Kind: Sendable, Hashable {
            /// A connected Unix stream socket.
            case connection
            /// A file, see ``MemoryFile``.
            case file
        }
        /// The descriptor, marked close-on-exec.
        public let descriptor: Int32
        /// The name that it was stored under.
        public let name: String
        /// The kind of descriptor.
        public let kind: Kind
    }

    /// A descriptor that came along and was closed.
    public struct Foreign: Sendable, Hashable {
        /// Why a descriptor was not taken.
        public enum Reason: String, Sendable, Hashable {
            /// No name of ours.
            case unknownName
            /// Not a Unix stream socket that listens.
            case notAUnixListener
            /// Stored, but neither a connected Unix stream socket nor a file.
            case notStorable
        }
        /// The number it had.
        public let descriptor: Int32
        /// The name that the manager gave it.
        public let name: String
        /// Why it was not taken.
        public let reason: Reason
    }

    /// The sockets to serve, in the manager's order.
    public let listeners: [Listener]
    /// The stored descriptors, in the manager's order.
    public let stored: [Stored]
    /// The closed descriptors, in the manager's order. Worth a warning: the unit passes too much.
    public let foreign: [Foreign]

    /// Takes over what the manager passed, and removes the offer from the environment.
    ///
    /// Call it once, first thing, before threads start or files are opened: it changes the
    /// environment, and the descriptors lie where the next `open` would land. Without a manager the
    /// result is empty.
    ///
    /// - Parameters:
    ///   - names: The names to accept. A unit that names nothing passes its own name, so `example`,
    ///     `example.socket` and `example@one.socket` are all met by `example`. Descriptors without a
    ///     name are accepted too.
    ///   - storedPrefix: What the names of stored descriptors begin with; nil if none are stored.
    /// - Returns: What to serve, and what was closed instead.
    /// - Throws: ``InheritanceFault`` if the offer cannot be understood.
    public static func take(
        names: Set<String>, storedPrefix: String? = nil
    ) throws(InheritanceFault) -> InheritedSockets {
        var listeners: [Listener] = []
        var stored: [Stored] = []
        var foreign: [Foreign] = []
        for (descriptor, name) in try offered() {
            if let storedPrefix, name.hasPrefix(storedPrefix) {
                if let kind = storedKind(of: descriptor) {
                    stored.append(Stored(descriptor: descriptor, name: name, kind: kind))
                } else {
                    close(descriptor)
                    foreign.append(
                        Foreign(descriptor: descriptor, name: name, reason: .notStorable))
                }
                continue
            }
            let isListener = sd_is_socket_unix(descriptor, streamType, 1, nil, 0) > 0
            if let reason = refusal(name: name, isListener: isListener, names: names) {
                close(descriptor)
                foreign.append(Foreign(descriptor: descriptor, name: name, reason: reason))
            } else {
                let path = SocketAddress.path(of: descriptor)
                listeners.append(Listener(descriptor: descriptor, name: name, path: path))
            }
        }
        return InheritedSockets(listeners: listeners, stored: stored, foreign: foreign)
    }

    /// The kind of a stored descriptor; nil if this service does not store it.
    static func storedKind(of descriptor: Int32) -> Stored.Kind? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFREG { return .file }
        return sd_is_socket_unix(descriptor, streamType, 0, nil, 0) > 0 ? .connection : nil
    }

    /// Why a descriptor is not for us, nil if it is.
    static func refusal(
        name: String, isListener: Bool, names: Set<String>
    ) -> Foreign.Reason? {
        guard isUnnamed(name) || names.contains(name) || names.contains(unitBase(name)) else {
            return .unknownName
        }
        return isListener ? nil : .notAUnixListener
    }

    /// libsystemd says "unknown" where the environment gives no names.
    private static func isUnnamed(_ name: String) -> Bool {
        name.isEmpty || name == "unknown"
    }

    /// `example` for `example.socket` and `example@one.socket`, other names as they are.
    private static func unitBase(_ name: String) -> String {
        guard name.hasSuffix(".socket") else { return name }
        let unit = name.dropLast(".socket".count)
        return String(unit.prefix { $0 != "@" })
    }

    private static let streamType = CInt(SOCK_STREAM.rawValue)

    private static func offered() throws(InheritanceFault) -> [(descriptor: Int32, name: String)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw InheritanceFault(errno: -count) }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return (0..<count).map { index in
            let name = names?[Int(index)].map { String(cString: $0) }
            return (SD_LISTEN_FDS_START + index, name ?? "")
        }
    }
}

/// The manager's offer of sockets makes no sense: the start must fail, or clients that the manager
/// queued would never be served.
public struct InheritanceFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error of the system, mostly `EINVAL`.
    public let errno: Int32

    /// A sentence for a person.
    public var description: String {
        "cannot take over sockets from the service manager: \(String(cString: strerror(errno)))"
    }
}
