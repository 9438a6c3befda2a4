import FoundationEssentials
import Glibc

/// Where a backup lies, as seen from the directory that it is restored into.
enum BackupPlace {
    /// The directories of a state directory whose files a restore leaves where they are.
    private static let kept = ["backups", "quarantine"]

    /// Why a backup cannot be restored into a directory: making room there would move files of the
    /// backup away before they are read. Nil if it can.
    ///
    /// - Parameters:
    ///   - backup: The backup's directory, resolved.
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

    /// The path from the root, without links, whether or not something is there.
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

    /// The first directory on the way from one directory down to another; nil if it is not below.
    private static func inside(_ directory: String, _ path: String) -> String? {
        let start = directory == "/" ? "/" : directory + "/"
        guard path.hasPrefix(start) else { return nil }
        return path.dropFirst(start.count).split(separator: "/").first.map(String.init)
    }
}
