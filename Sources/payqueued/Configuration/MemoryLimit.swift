import FoundationEssentials

/// The memory that the service manager or a container lets this process use.
enum MemoryLimit {
    /// The assumed number of bytes of one unfinished transaction. With the longest texts it takes about
    /// half of that, and a snapshot can hold a copy of it for a while.
    private static let bytesOfTransaction = 1024
    /// The assumed number of bytes of everything else: the program, its connections, buffers and indexes
    /// of closed transactions. They take less, unless there is little memory.
    private static let bytesOfOthers = 64 << 20

    /// The number of unfinished transactions that fit into the memory beside everything else; nil without
    /// a limit.
    static func transactions(
        process: String = "/proc/self", groups: String = "/sys/fs/cgroup"
    ) -> Int? {
        guard let bytes = bytes(process: process, groups: groups) else { return nil }
        return max(1, max(bytes - bytesOfOthers, bytes / 4) / bytesOfTransaction)
    }

    /// The smallest memory limit of a process's control group and its parent groups. Without a limit,
    /// control groups of version 1 report a number greater than any memory.
    ///
    /// - Parameters:
    ///   - process: The directory of the process below `/proc`.
    ///   - groups: The directory of the control groups: of version 2, of version 1, or of both.
    /// - Returns: The limit in bytes; nil without one.
    static func bytes(process: String, groups: String) -> Int? {
        guard let list = try? String(contentsOfFile: process + "/cgroup", encoding: .utf8) else {
            return nil
        }
        var limits: [Int] = []
        for line in list.split(separator: "\n") {
            // The number of the hierarchy, its controllers and the group: `0::/a` or `4:memory:/a`.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[0] == "0" {
                limits += Self.limits("memory.max", of: parts[2], below: groups)
            } else if parts[1].split(separator: ",").contains("memory") {
                limits += Self.limits(
                    "memory.limit_in_bytes", of: parts[2], below: groups + "/memory")
            }
        }
        return limits.min()
    }

    /// The limits of a group and its parent groups. In a container the path of the process's group may
    /// not be visible, and the top directory is that group.
    private static func limits(_ name: String, of group: Substring, below root: String) -> [Int] {
        let names = group.split(separator: "/")
        return (0...names.count).compactMap { depth in
            let path = ([root] + names.prefix(depth).map(String.init) + [name])
                .joined(separator: "/")
            // The word "max" means that there is no limit.
            return (try? String(contentsOfFile: path, encoding: .utf8))
                .flatMap { Int($0.filter { !$0.isWhitespace }) }
        }
    }
}
