import Foundation
import Testing

/// The unit files as they lie in the repository, judged by the system's own tool and by what they must
/// say. The package's own test looks at them as they are installed.
@Suite struct UnitFileTests {
    private static let hasAnalyze = Tool.exists("systemd-analyze")
    private static let services = [
        "payqueued.service", "payqueued@.service", "user/payqueued.service",
    ]

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the manager understands every line of the system units`() throws {
        let result = try UnitFolder.system.verify()
        #expect(result.status == 0)
        #expect(result.output == "")
    }

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the manager understands every line of the user units`() throws {
        let result = try UnitFolder.user.verify()
        #expect(result.status == 0)
        #expect(result.output == "")
    }

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `the sandbox leaves an exposure of 0·4 at most`() throws {
        let result = try UnitFolder.system.exposure(of: "payqueued.service", atMostTenths: 4)
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: hasAnalyze, "systemd-analyze is missing"))
    func `with a store behind a network it is 1·2 at most`() throws {
        let dropIn = try UnitFolder.text("site/store-tcp.conf")
            .replacing("#IPAddressAllow", with: "IPAddressAllow")
        let result = try UnitFolder.system.exposure(
            of: "payqueued.service", with: dropIn, atMostTenths: 12)
        #expect(result.status == 0, "\(result.output)")
        #expect(dropIn.contains("\nIPAddressAllow=192.0.2.10"))
    }

    @Test(.enabled(if: Tool.exists("systemd-sysusers"), "systemd-sysusers is missing"))
    func `the users and the group can be created`() throws {
        let file = UnitFolder.place("sysusers.d/payqueued.conf").path
        let result = try Tool.run("systemd-sysusers", ["--dry-run", file])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test func `the socket lies where the protocol says and outlives the service`() throws {
        let socket = try UnitFolder.settings("payqueued.socket")
        let service = try UnitFolder.settings("payqueued.service")
        #expect(socket["ListenStream"] == ["/run/payqueued/payqueued.sock"])
        #expect(socket["FileDescriptorName"] == ["control"])
        #expect(socket["SocketMode"] == ["0660"])
        #expect(service["RuntimeDirectory"] == ["payqueued/private"])
        #expect(service["Requires"] == ["payqueued.socket"])
        #expect(service["After"] == ["payqueued.socket"])
    }

    @Test func `the scraper's socket lies beside the clients' and stops with it`() throws {
        let socket = try UnitFolder.settings("payqueued-metrics.socket")
        #expect(socket["ListenStream"] == ["/run/payqueued/metrics.sock"])
        #expect(socket["FileDescriptorName"] == ["metrics"])
        #expect(socket["Service"] == ["payqueued.service"])
        #expect(socket["PartOf"] == ["payqueued.socket"])
    }

    @Test(arguments: services)
    func `a daemon that cannot start leaves its socket alone`(unit: String) throws {
        let settings = try UnitFolder.settings(unit)
        #expect(settings["StartLimitIntervalSec"] == ["0"])
        #expect(settings["Restart"] == ["on-failure"])
        #expect(settings["RestartSec"] == ["250ms"])
    }

    @Test(arguments: services)
    func `a reload waits for its end and can fail`(unit: String) throws {
        let settings = try UnitFolder.settings(unit)
        let command = try #require(settings["ExecReload"]?.first)
        #expect(command.hasPrefix("/usr/bin/payqueuectl reload --socket "))
        #expect(settings["Type"] == ["notify"])
        #expect(settings["WatchdogSec"] == ["30s"])
    }

    @Test(arguments: services)
    func `the manager keeps two descriptors for each of the connections that are allowed`(
        unit: String
    ) throws {
        let room = try #require(UnitFolder.settings(unit)["FileDescriptorStoreMax"]?.first)
        #expect(try #require(Int(room)) >= 2 * 256 + 16)
    }

    /// What is said twice must be the same twice.
    @Test(arguments: ["payqueued.service", "payqueued.socket", "payqueued-metrics.socket"])
    func `an instance is what the one daemon is, under its own name`(unit: String) throws {
        let one = try UnitFolder.text(unit)
        let instance = try UnitFolder.text(unit.replacing(".", with: "@."))
            .replacing(", queue %i", with: "").replacing("@%i", with: "")
            .replacing("-%i", with: "")
        #expect(instance == one)
    }

    @Test func `every drop-in says what it is for and for which unit`() throws {
        for folder in ["site", "version"] {
            for name in try FileManager.default.contentsOfDirectory(
                atPath: UnitFolder.place(folder).path)
            {
                let text = try UnitFolder.text("\(folder)/\(name)")
                #expect(text.hasPrefix("# "), "\(name)")
                let section = text.contains("\n[Socket]\n") || text.contains("\n[Service]\n")
                #expect(section, "\(name)")
            }
        }
    }
}

/// Units of the repository.
private struct UnitFolder {
    static let system = UnitFolder(prefix: "", isUser: false)
    static let user = UnitFolder(prefix: "user/", isUser: true)

    let prefix: String
    let isUser: Bool

    static func place(_ path: String) -> URL {
        URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "systemd/\(path)")
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: place(path), encoding: .utf8)
    }

    /// Every `key=value` of a unit, the values of one key in order.
    static func settings(_ unit: String) throws -> [String: [String]] {
        var settings: [String: [String]] = [:]
        for line in try text(unit).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            settings[String(parts[0]), default: []].append(String(parts[1]))
        }
        return settings
    }

    /// What `systemd-analyze verify` says of the units, a template being judged by an instance.
    func verify() throws -> (status: Int32, output: String) {
        try withCopies { copy, names in
            try Tool.run(
                "systemd-analyze",
                (isUser ? ["--user"] : []) + ["verify", "--recursive-errors=no", "--man=no"]
                    + names.map {
                        copy.appending(path: $0.replacing("@.", with: "@shop.")).path
                    },
                environment: ["XDG_RUNTIME_DIR": copy.path])
        }
    }

    /// Whether a service is exposed no more than a threshold, which the tool wants in tenths.
    func exposure(
        of unit: String, with dropIn: String? = nil, atMostTenths threshold: Int
    ) throws -> (status: Int32, output: String) {
        try withCopies { copy, _ in
            if let dropIn {
                let folder = copy.appending(path: "\(unit).d")
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                try Data(dropIn.utf8).write(to: folder.appending(path: "it.conf"))
            }
            return try Tool.run(
                "systemd-analyze",
                [
                    "security", "--offline=true", "--threshold=\(threshold)", "--no-pager",
                    copy.appending(path: unit).path,
                ])
        }
    }

    /// The units in a fresh folder, with a program that exists in place of ours.
    private func withCopies<Answer>(
        _ body: (_ folder: URL, _ names: [String]) throws -> Answer
    ) throws -> Answer {
        let files = FileManager.default
        let copy = files.temporaryDirectory.appending(path: "units-\(UUID().uuidString)")
        try files.createDirectory(at: copy, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: copy) }
        let names = try files.contentsOfDirectory(atPath: Self.place(prefix).path)
            .filter { $0.hasSuffix(".service") || $0.hasSuffix(".socket") }
        for name in names {
            let text = try Self.text(prefix + name)
                .replacing(#/\/usr\/bin\/payqueue[a-z-]+/#, with: "/usr/bin/env")
            try Data(text.utf8).write(to: copy.appending(path: name))
        }
        return try body(copy, names)
    }
}
