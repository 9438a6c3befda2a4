import StrictJSON

/// The cluster that a state directory belongs to, kept in `cluster/membership.json`.
///
/// A directory with this file is one of several copies. A separate queue that started there would sell again
/// what the cluster has already sold.
public struct ClusterMembership: Sendable, Equatable {
    /// The beginning of the cluster's keys.
    public var prefix: String
    /// Whether the next start may put the queue into a cluster that has none.
    public var mayImport: Bool

    static let directory = "cluster"
    private static let name = "membership.json"

    /// Creates a membership.
    public init(prefix: String, mayImport: Bool = false) {
        self.prefix = prefix
        self.mayImport = mayImport
    }

    /// The prefix that a text names, without slashes at its end; nil if it cannot be one. A prefix has 1 to 256
    /// printable ASCII characters without spaces.
    public static func prefix(of text: some StringProtocol) -> String? {
        let end = text.lastIndex { $0 != "/" }.map(text.index(after:)) ?? text.startIndex
        let prefix = String(text[..<end])
        guard !prefix.isEmpty, prefix.utf8.count <= 256,
            prefix.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return prefix
    }

    /// Reads the membership of a state directory.
    ///
    /// - Returns: The membership; nil if the directory is not of a cluster.
    /// - Throws: `.failed` if the disk failed; `.unsuitable` if the file makes no sense.
    public init?(of disk: any Disk) throws(StorageError) {
        let bytes: [UInt8]
        do throws(DiskFailure) {
            guard try disk.status(of: Self.directory) != nil else { return nil }
            let files = try disk.directory(Self.directory, create: false)
            guard try files.status(of: Self.name) != nil else { return nil }
            bytes = try files.open(Self.name, .read).readAll(limit: 1 << 16)
        } catch {
            throw StorageError(error)
        }
        guard let json = try? JSONValue(parsing: bytes), let prefix = json["prefix"]?.stringValue
        else {
            throw .unsuitable(
                "'\(Self.directory)/\(Self.name)' does not name a cluster; write it again with "
                    + "'payqueuectl cluster import'")
        }
        self.init(prefix: prefix, mayImport: json["import"]?.boolValue ?? false)
    }

    /// Writes the membership durably.
    public func write(to state: StateDirectory) throws(StorageError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("import", mayImport ? true : nil as Bool?)
        writer.member("prefix", prefix)
        writer.endObject()
        let files = try SmallFiles(Self.directory, in: state)
        do throws(DiskFailure) {
            try files.replace(Self.name, with: writer.bytes)
        } catch {
            throw StorageError(error)
        }
    }

    /// Makes the directory one that belongs to no cluster.
    public static func remove(from state: StateDirectory) throws(StorageError) {
        do throws(DiskFailure) {
            guard try state.disk.status(of: directory) != nil else { return }
            let files = try state.disk.directory(directory, create: false)
            try files.removeIfPresent(name)
            try files.sync()
        } catch {
            throw StorageError(error)
        }
    }

    /// Checks whether a state directory may be used.
    ///
    /// - Parameters:
    ///   - state: The directory.
    ///   - prefix: The beginning of the keys of the configured cluster; nil without one.
    /// - Throws: `.unsuitable` if the directory belongs to another cluster, or to one where none is configured.
    public static func check(_ state: StateDirectory, prefix: String?) throws(StorageError) {
        guard let membership = try ClusterMembership(of: state.disk), membership.prefix != prefix
        else { return }
        guard let prefix else {
            throw .unsuitable(
                "'\(state.path)' is a copy of a queue in a cluster: start it with --journal "
                    + "etcd://.../\(membership.prefix), or end its part in the cluster with "
                    + "'payqueuectl cluster export'")
        }
        throw .unsuitable(
            "'\(state.path)' is a copy of the queue at the prefix '\(membership.prefix)', not at '\(prefix)'; "
                + "move it away, or correct 'journal'")
    }
}
