internal import Glibc

/// A socket file that this process has made, so that no other file at its path is removed.
package struct OwnSocketFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Notes the identity of a socket that was just bound; nil if there is no file.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another one has taken its path.
    ///
    /// While the socket is open, no other file can have its identity.
    package func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        unlink(path)
    }
}
