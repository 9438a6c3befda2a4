import Foundation

/// Where the built programs, the test data and the tools are.
enum Built {
    /// The daemon's program.
    static let daemon = folder.appending(path: "payqueued").path
    /// The command-line client.
    static let control = folder.appending(path: "payqueuectl").path
    /// The examples of the Swift client.
    static let examples = folder.appending(path: "payment-examples").path

    /// The store server.
    static let store = folder.appending(path: "payqueue-store").path

    /// The folder that the build puts programs in: beside the test bundle, unless named.
    private static let folder: URL = {
        if let named = ProcessInfo.processInfo.environment["PAYQUEUED_BINARIES"] {
            return URL(filePath: named)
        }
        // The test bundle is mapped into this process, whoever started it.
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        let bundle = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }
        let path = bundle.flatMap { line in line.firstIndex(of: "/").map { line[$0...] } }
        return URL(filePath: path.map(String.init) ?? CommandLine.arguments[0])
            .deletingLastPathComponent()
    }()

    /// The root of the checkout.
    static let root: URL = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            if exists(folder.appending(path: "Package.swift").path),
                exists(folder.appending(path: "clients/transcripts").path)
            {
                break
            }
        }
        return folder
    }()

    /// A folder of the third-party data beside the checkout; nil if there is none.
    static func sharedData(_ name: String) -> URL? {
        let named = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"]
        let folder =
            named.map { URL(filePath: $0) }
            ?? root.deletingLastPathComponent().appending(path: "shared/data")
        let found = folder.appending(path: name)
        return exists(found.path) ? found : nil
    }

    /// Whether a tool can be started.
    static func has(_ tool: String) -> Bool {
        path(of: tool) != nil
    }

    /// Where a tool is.
    static func path(of tool: String) -> String? {
        let places = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return places.split(separator: ":").map { "\($0)/\(tool)" }
            .first { access($0, X_OK) == 0 }
    }

    /// A number from the environment, or the value given.
    static func number(_ name: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? value
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }
}
