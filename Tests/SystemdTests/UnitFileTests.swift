import Foundation
import Testing

/// The unit files as they lie in the repository, judged by the system's own tool.
@Suite struct UnitFileTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "systemd")
    private static let units = ["payqueued.service", "payqueued.socket"]
    private static let hasAnalyze = Tool.exists("systemd-analyze")

    /// Copies units to a fresh folder, with a program that exists in place of the daemon.
    private static func copies(of folder: URL) throws -> URL {
        let copy = FileManager.default.temporaryDirectory
            .appending(path: "units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for unit in units {
            let text = try String(contentsOf: folder.appending(path: unit), encoding: .utf8)
                .replacing("/usr/bin/payqueued", with: "/usr/bin/env")
            try text.write(to: copy.appending(path: unit), atomically: true, encoding: .utf8)
        }
        return copy
    }

    private static func verify(_ folder: URL, user: Bool) throws -> (status: Int32, output: String)
    {
        let copy = try copies(of: folder)
        defer { try? FileManager.default.removeItem(at: copy) }
        return try Tool.run(
            "systemd-analyze",
            (user ? ["--user"] : []) + ["verify", "--recursive-errors=no", "--man=no"]
                + units.map { copy.appending(path: $0).path },
            environment: ["XDG_RUNTIME_DIR": copy.path])
    }

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the manager understands every line of the system units`() throws {
        let result = try Self.verify(Self.folder, user: false)
        #expect(result.status == 0)
        #expect(result.output == "")
    }

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the manager understands every line of the user units`() throws {
        let result = try Self.verify(Self.folder.appending(path: "user"), user: true)
        #expect(result.status == 0)
        #expect(result.output == "")
    }

    /// The threshold counts tenths.
    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the sandbox leaves an exposure of 0·4 at most`() throws {
        let copy = try Self.copies(of: Self.folder)
        defer { try? FileManager.default.removeItem(at: copy) }
        let result = try Tool.run(
            "systemd-analyze",
            [
                "security", "--offline=true", "--threshold=4", "--no-pager",
                copy.appending(path: "payqueued.service").path,
            ])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: Tool.exists("systemd-sysusers"), "systemd-sysusers is missing"))
    func `the user and the group can be created`() throws {
        let file = Self.folder.appending(path: "sysusers.d/payqueued.conf").path
        let result = try Tool.run("systemd-sysusers", ["--dry-run", file])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test func `the socket lies where the protocol says and outlives the service`() throws {
        let socket = try Self.settings("payqueued.socket")
        let service = try Self.settings("payqueued.service")
        #expect(socket["ListenStream"] == ["/run/payqueued/payqueued.sock"])
        #expect(socket["FileDescriptorName"] == ["control"])
        #expect(socket["SocketMode"] == ["0660"])
        #expect(service["RuntimeDirectory"] == ["payqueued/private"])
        #expect(service["Requires"] == ["payqueued.socket"])
        #expect(service["After"] == ["payqueued.socket"])
        #expect(service["StartLimitIntervalSec"] == ["0"])
        #expect(service["Restart"] == ["on-failure"])
    }

    @Test func `no unit claims a reload that the daemon does not know`() throws {
        for unit in ["payqueued.service", "user/payqueued.service"] {
            let settings = try Self.settings(unit)
            #expect(settings["ExecReload"] == nil)
            #expect(settings["Type"] == ["notify"])
            #expect(settings["WatchdogSec"] == ["30s"])
        }
    }

    /// Every `key=value` of a unit, the values of one key in order.
    private static func settings(_ unit: String) throws -> [String: [String]] {
        let text = try String(contentsOf: folder.appending(path: unit), encoding: .utf8)
        var settings: [String: [String]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            settings[String(parts[0]), default: []].append(String(parts[1]))
        }
        return settings
    }
}
