import Foundation

/// One text file of the repository.
struct SourceFile {
    /// Relative to the root, with slashes.
    let path: String
    let text: String

    /// The lines, without a last empty one.
    var lines: [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// `PaymentCore` for anything below `Sources/PaymentCore`; nil outside of `Sources`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }
}

/// The repository as the checks see it; tests plant small ones.
struct SourceTree {
    var files: [SourceFile]

    subscript(path: String) -> SourceFile? { files.first { $0.path == path } }

    /// Whether a file, or a folder that holds one, has this path.
    func exists(_ path: String) -> Bool {
        files.contains { $0.path == path || $0.path.hasPrefix(path + "/") }
    }

    /// The folders directly below a folder that hold any file.
    func folders(in folder: String) -> [String] {
        let parts = files.lazy.filter { $0.path.hasPrefix(folder + "/") }
            .map { $0.path.dropFirst(folder.count + 1).split(separator: "/") }
        return Set(parts.filter { $0.count > 1 }.map { String($0[0]) }).sorted()
    }
}

extension SourceTree {
    /// A tree of a few files, written in a test.
    init(_ files: [String: String]) {
        self.init(
            files: files.map { SourceFile(path: $0.key, text: $0.value) }
                .sorted { $0.path < $1.path })
    }

    /// The repository that this file belongs to.
    static func repository() throws -> SourceTree {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        var files: [SourceFile] = []
        try collect(root, prefix: "", into: &files)
        return SourceTree(files: files.sorted { $0.path < $1.path })
    }

    /// What is built, fetched or recorded by version control is not part of the tree.
    private static let skipped: Set = [".build", ".git", ".swiftpm", "node_modules"]

    private static func collect(
        _ folder: URL, prefix: String, into files: inout [SourceFile]
    ) throws {
        let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey]
        for url in try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: keys)
        where !skipped.contains(url.lastPathComponent) {
            let values = try url.resourceValues(forKeys: Set(keys))
            let path = prefix + url.lastPathComponent
            if values.isDirectory == true {
                try collect(url, prefix: path + "/", into: &files)
            } else if values.isRegularFile == true {
                // Bytes that are not text are a fixture, not prose.
                let text = String(bytes: try Data(contentsOf: url), encoding: .utf8)
                files.append(SourceFile(path: path, text: text ?? ""))
            }
        }
    }
}

/// What a check objects to, and where.
struct Finding: CustomStringConvertible, Hashable {
    let path: String
    /// From 1; 0 for the file as a whole.
    let line: Int
    let message: String

    var description: String {
        line == 0 ? "\(path): \(message)" : "\(path):\(line): \(message)"
    }
}
