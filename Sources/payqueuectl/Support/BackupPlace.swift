import FoundationEssentials
import Glibc

/// The location of a backup relative to the target directory of a restore.
enum BackupPlace {
    /// The subdirectories of a state directory that a restore leaves in place.
    private static let kept = ["backups", "quarantine"]

    /// The reason why a backup cannot be restored into a directory; nil if it can. Setting files
    /// aside there would move files of the backup before they are read.
    ///
    /// - Parameters:
    ///   - backup: The directory of the backup, resolved.
    ///   - target: The state directory, resolved.
    /// - Returns: A phrase without a full stop.
    static func conflict(backup: String, target: String) -> String? {
        if backup == target {
            return "that is the backup itself, and its files would be moved aside before they are "
                + "read"
        }
        if let inner = inside(target, backup), !kept.contains(inner) {
            return "the backup is in it, and would be moved aside before it is read"
        }
        if let inner = inside(backup, target), !kept.contains(inner) {
            return "it is a part of the backup, whose files would be moved aside before they are "
                + "read"
        }
        return nil
    }

    /// The absolute path without links, whether or not it exists.
    static func resolved(_ path: String) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        let whole =
            path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let names = whole.split(separator: "/")
        guard let last = names.last else { return "/" }
        let above = resolved("/" + names.dropLast().joined(separator: "/"))
        return above == "/" ? "/\(last)" : "\(above)/\(last)"
    }

    /// The first path component from a directory down to another; nil if the other is not below it.
    static func inside(_ directory: String, _ path: String) -> String? {
        let start = directory == "/" ? "/" : directory + "/"
        guard path.hasPrefix(start) else { return nil }
        return path.dropFirst(start.count).split(separator: "/").first.map(String.init)
    }
}
