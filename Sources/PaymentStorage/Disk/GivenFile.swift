#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that a user names: a configuration, a catalogue, credentials, a password or a key.
///
/// The file is opened only once, so that the file that is checked is also the one that is read. Opening does
/// not wait, so that a pipe cannot block a start.
///
/// A file that grants something belongs to root or to the user of this process, so that no other user can
/// change it. On a read-only mount no user can; there the owner and the permission to write do not matter.
public enum GivenFile {
    /// The users besides root and the user of this process that may have access.
    public enum Protection: Sendable, Hashable {
        /// All users may read and change the file: it grants nothing.
        case open
        /// Others may read the file, and only root and the user of this process may change it.
        case unchangeable
        /// The group of the file may read it, such as the key of a certificate. It may belong to the user
        /// that renews both.
        case readableByGroup
        /// No other user may read the file.
        case secret

        /// The permission bits that must not be set.
        fileprivate var forbidden: mode_t {
            switch self {
            case .open, .unchangeable: 0
            case .readableByGroup: 0o037
            case .secret: 0o077
            }
        }

        /// The command that removes the bits, without the path.
        fileprivate var remedy: String {
            switch self {
            case .open, .unchangeable: "chmod go-w"
            case .readableByGroup: "chmod 0640"
            case .secret: "chmod 0600"
            }
        }
    }

    /// The bytes of a file, with the access that users had to it.
    public struct Contents {
        /// The bytes.
        public let bytes: [UInt8]
        fileprivate let path: String
        fileprivate let status: stat
        fileprivate let isCredential: Bool
        fileprivate let isMountedReadOnly: Bool

        /// Checks the access to the file that was read.
        ///
        /// - Throws: Other users have access.
        public func check(_ protection: Protection) throws(Failure) {
            guard !isCredential else { return }
            try GivenFile.check(
                status, protection, path, isMountedReadOnly: isMountedReadOnly)
        }
    }

    /// The reason why a file cannot be used, without its path.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// A clause in lower case and without a full stop.
        public let description: String
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path; a symbolic link is followed.
    ///   - protection: The users that may have access, unless the file is in `credentials`.
    ///   - credentials: The directory of the service manager's credentials, which the service manager
    ///     protects: it grants access by a list that the mode does not show. Nil without one.
    ///   - limitBytes: The maximum length.
    /// - Returns: The bytes.
    /// - Throws: The file cannot be read, is not a regular file or is too long, or other users have
    ///   access.
    public static func read(
        _ path: String, _ protection: Protection, credentials: String? = nil,
        limitBytes: Int = 16 << 20
    ) throws(Failure) -> [UInt8] {
        try contents(
            of: path, protection, credentials: credentials, limitBytes: limitBytes
        ).bytes
    }

    /// Reads a file whose content determines the protection that it needs.
    ///
    /// - Parameters:
    ///   - path: The path; a symbolic link is followed.
    ///   - protection: The users that may have access, whatever it contains.
    ///   - credentials: As for ``read(_:_:credentials:limitBytes:)``.
    ///   - limitBytes: The maximum length.
    /// - Returns: The bytes, with the access of users to the file that was read.
    /// - Throws: The errors of ``read(_:_:credentials:limitBytes:)``.
    public static func contents(
        of path: String, _ protection: Protection, credentials: String? = nil,
        limitBytes: Int = 16 << 20
    ) throws(Failure) -> Contents {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            // A socket cannot be opened.
            if errno == ENXIO { throw Failure(description: "it is not a file") }
            throw system()
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw system() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(description: "it is not a file")
        }
        let contents = Contents(
            bytes: try bytes(of: descriptor, limitBytes: limitBytes), path: path, status: status,
            isCredential: isCredential(path, in: credentials),
            isMountedReadOnly: isMountedReadOnly(descriptor))
        try contents.check(protection)
        return contents
    }

    /// Whether the service manager protects a file.
    private static func isCredential(_ path: String, in directory: String?) -> Bool {
        guard let directory, !directory.isEmpty else { return false }
        return path.hasPrefix("\(directory)/") && !path.contains("/../")
            && !OtherUsers.canReplaceEntries(of: directory)
    }

    private static func isMountedReadOnly(_ descriptor: CInt) -> Bool {
        var system = statvfs()
        return fstatvfs(descriptor, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Refuses a file to which other users have more access than its content permits.
    static func check(
        _ status: stat, _ protection: Protection, _ path: String, isMountedReadOnly: Bool
    ) throws(Failure) {
        let needsOwner = protection == .unchangeable || protection == .secret
        if needsOwner, !isMountedReadOnly, status.st_uid != 0, status.st_uid != geteuid() {
            throw Failure(
                description: "it belongs to user \(status.st_uid), who could change it; run chown "
                    + "\(geteuid()) '\(path)', or mount it read-only")
        }
        let isChangeable =
            status.st_mode & 0o002 != 0 || OtherUsers.canWriteAsGroup(status)
        if protection == .unchangeable, isChangeable, !isMountedReadOnly {
            throw Failure(
                description: "other users can change it; run \(protection.remedy) '\(path)'")
        }
        let forbidden = protection.forbidden & (isMountedReadOnly ? 0o055 : 0o077)
        guard status.st_mode & forbidden == 0 else {
            throw Failure(
                description: "other users can read it; run \(protection.remedy) '\(path)'")
        }
    }

    private static func bytes(
        of descriptor: CInt, limitBytes: Int
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = piece.withUnsafeMutableBytes { piece in
                retrying {
                    #if canImport(Glibc)
                        Glibc.read(descriptor, piece.baseAddress, piece.count)
                    #else
                        Musl.read(descriptor, piece.baseAddress, piece.count)
                    #endif
                }
            }
            guard count >= 0 else { throw system() }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limitBytes else {
                throw Failure(description: "it has more than \(limitBytes) bytes")
            }
        }
    }

    private static func system() -> Failure {
        Failure(description: String(cString: strerror(errno)).lowercased())
    }
}

/// The access of users other than root and the user of this process, by the mode of a file.
public enum OtherUsers {
    /// Whether others can create and replace entries of a directory.
    ///
    /// In a directory with the sticky bit, such as `/tmp`, they cannot replace those of this user.
    ///
    /// - Parameter path: The directory.
    /// - Returns: False also if the directory cannot be examined.
    public static func canReplaceEntries(of path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_ISVTX == 0 else { return false }
        return status.st_mode & 0o002 != 0 || canWriteAsGroup(status)
    }

    /// Whether a group other than that of root or of this process may write.
    static func canWriteAsGroup(_ status: stat) -> Bool {
        status.st_mode & 0o020 != 0 && status.st_gid != 0 && status.st_gid != getegid()
    }
}
