internal import Glibc

/// A socket file that this process has made, so that no other file at its path is removed.
///
/// While this value exists, it refers to the file, so that no other file can have its identity, even
/// if the socket is closed and the file is removed. Nothing can tell a replacement at the very moment
/// of the removal; the directory of the socket must therefore be closed to other users.
package final class OwnSocketFile: Sendable {
    /// The flag that the Glibc module does not show: `O_PATH`, which opens files of any kind.
    private static let pathOnly: CInt = 0o10_000_000

    private let path: String
    private let descriptor: CInt
    private let device: dev_t
    private let inode: ino_t

    /// Notes the identity of a socket that was just bound; nil if it does not exist.
    package init?(_ path: String) {
        let descriptor = open(path, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            close(descriptor)
            return nil
        }
        self.path = path
        self.descriptor = descriptor
        device = status.st_dev
        inode = status.st_ino
    }

    deinit { close(descriptor) }

    /// Removes the file, unless another one has taken its path.
    package func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        unlink(path)
    }
}
