internal import CSystemd
internal import Glibc

/// The descriptors that the service manager passed to this process, or that the start before has handed to it (see
/// ``Successor``): listening sockets and stored ones.
public struct InheritedSockets: Sendable, Hashable {
    /// A listening socket. The process owns the descriptor.
    public struct Listener: Sendable, Hashable {
        /// The descriptor, marked close-on-exec.
        public let descriptor: Int32
        /// The name from the manager.
        public let name: String
        /// The address: a path, or `@` and a name in the abstract namespace; nil if the system does
        /// not report it. The manager owns the path; it must not be unlinked.
        public let path: String?
    }

    /// A descriptor that an earlier process stored (see ``DescriptorStore``). The process owns the
    /// descriptor; the manager keeps its own copy.
    public struct Stored: Sendable, Hashable {
        /// The kinds of stored descriptors.
        public enum Kind: Sendable, Hashable {
            /// A connected Unix stream socket.
            case connection
            /// A regular file, see ``MemoryFile``.
            case file
        }
        /// The descriptor, marked close-on-exec.
        public let descriptor: Int32
        /// The name in the store.
        public let name: String
        /// The kind of the descriptor.
        public let kind: Kind
        /// Whether the previous start handed it over. The manager does not have such a descriptor.
        public let isHanded: Bool
    }

    /// An inherited descriptor that was refused.
    public struct Foreign: Sendable, Hashable {
        /// The reasons for refusal.
        public enum Reason: String, Sendable, Hashable {
            /// The name is not one of the accepted names.
            case unknownName
            /// The descriptor is not a listening Unix stream socket.
            case notAUnixListener
            /// The descriptor was stored, but is neither a connected Unix stream socket nor a
            /// regular file.
            case notStorable
        }
        /// The number of the refused descriptor.
        public let descriptor: Int32
        /// The name from the manager.
        public let name: String
        /// The reason for the refusal.
        public let reason: Reason
    }

    /// The listening sockets, in the manager's order.
    public let listeners: [Listener]
    /// The stored descriptors, in the manager's order.
    public let stored: [Stored]
    /// The refused descriptors, in the manager's order. They mean a faulty unit and deserve a
    /// warning.
    public let foreign: [Foreign]

    /// Takes over the descriptors and removes the offer from the environment.
    ///
    /// Call it once, before threads start or files are opened. It changes the environment, and the
    /// descriptors have the numbers that the next `open` would use. Without a manager the result is
    /// empty.
    ///
    /// - Parameters:
    ///   - names: The accepted names. Without an explicit name a unit passes its own. `example`
    ///     thus accepts `example`, `example.socket` and `example@one.socket`. Unnamed descriptors
    ///     are accepted too.
    ///   - storedPrefix: The prefix of the names of stored descriptors; nil if none are stored.
    /// - Returns: The accepted and the refused descriptors.
    /// - Throws: ``InheritanceFault`` if the offer is invalid.
    public static func take(
        names: Set<String>, storedPrefix: String? = nil
    ) throws(InheritanceFault) -> InheritedSockets {
        var listeners: [Listener] = []
        var stored: [Stored] = []
        var foreign: [Foreign] = []
        let handed = Successor.take().map { ($0.descriptor, $0.name, true) }
        for (descriptor, name, isHanded) in try offered() + handed {
            if let storedPrefix, name.hasPrefix(storedPrefix) {
                if let kind = storedKind(of: descriptor) {
                    stored.append(
                        Stored(
                            descriptor: descriptor, name: name, kind: kind, isHanded: isHanded))
                } else {
                    discard(descriptor)
                    foreign.append(
                        Foreign(descriptor: descriptor, name: name, reason: .notStorable))
                }
                continue
            }
            let isListener = sd_is_socket_unix(descriptor, streamType, 1, nil, 0) > 0
            if let reason = refusal(name: name, isListener: isListener, names: names) {
                discard(descriptor)
                foreign.append(Foreign(descriptor: descriptor, name: name, reason: reason))
            } else {
                let path = SocketAddress.path(of: descriptor)
                listeners.append(Listener(descriptor: descriptor, name: name, path: path))
            }
        }
        return InheritedSockets(listeners: listeners, stored: stored, foreign: foreign)
    }

    /// Closes a refused descriptor. One without a file type, such as an epoll instance, stays open: if nothing was
    /// passed under its number, it belongs to the runtime of this process.
    private static func discard(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != 0 else { return }
        close(descriptor)
    }

    /// The kind of a stored descriptor; nil if it is of another kind.
    static func storedKind(of descriptor: Int32) -> Stored.Kind? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFREG { return .file }
        return sd_is_socket_unix(descriptor, streamType, 0, nil, 0) > 0 ? .connection : nil
    }

    /// The reason to refuse a listening socket; nil if it is accepted.
    static func refusal(
        name: String, isListener: Bool, names: Set<String>
    ) -> Foreign.Reason? {
        guard isUnnamed(name) || names.contains(name) || names.contains(unitBase(name)) else {
            return .unknownName
        }
        return isListener ? nil : .notAUnixListener
    }

    /// libsystemd reports "unknown" if the environment has no names.
    private static func isUnnamed(_ name: String) -> Bool {
        name.isEmpty || name == "unknown"
    }

    /// The base name of a unit: `example` for `example.socket` and `example@one.socket`; other
    /// names are unchanged.
    private static func unitBase(_ name: String) -> String {
        guard name.hasSuffix(".socket") else { return name }
        let unit = name.dropLast(".socket".count)
        return String(unit.prefix { $0 != "@" })
    }

    private static let streamType = CInt(SOCK_STREAM.rawValue)

    /// The descriptors of the manager.
    private static func offered() throws(InheritanceFault) -> [(Int32, String, Bool)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw InheritanceFault(errno: -count) }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return (0..<count).map { index in
            let name = names?[Int(index)].map { String(cString: $0) }
            return (SD_LISTEN_FDS_START + index, name ?? "", false)
        }
    }
}

/// The manager's offer of descriptors is invalid. The start must fail, because otherwise clients in
/// the manager's socket queues would never be served.
public struct InheritanceFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error number of the system, mostly `EINVAL`.
    public let errno: Int32

    /// A sentence for users.
    public var description: String {
        "cannot take over sockets from the service manager: \(String(cString: strerror(errno)))"
    }
}
