import Foundation
import Testing

@testable import payqueued

@Suite("The memory limit of the service")
struct MemoryLimitTests {
    private static let none = "9223372036854771712"

    /// A directory with these files, which stands for that of the process and for that of the control groups.
    private func place(_ files: [String: String]) throws -> TemporaryDirectory {
        let place = try TemporaryDirectory()
        for (name, text) in files {
            let file = URL(filePath: place.path).appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("\(text)\n".utf8).write(to: file)
        }
        return place
    }

    private func limit(_ list: String, _ files: [String: String]) throws -> Int? {
        let place = try place(files.merging(["cgroup": list]) { $1 })
        return withExtendedLifetime(place) {
            MemoryLimit.bytes(process: place.path, groups: place.path)
        }
    }

    @Test("is the smallest of its control group and of those around it")
    func versionTwo() throws {
        let list = "0::/system.slice/payqueued.service\n"
        #expect(
            try limit(
                list,
                [
                    "system.slice/payqueued.service/memory.max": "max",
                    "system.slice/memory.max": "268435456",
                ]) == 268_435_456)
        #expect(
            try limit(
                list,
                [
                    "system.slice/payqueued.service/memory.max": "1048576",
                    "system.slice/memory.max": "268435456", "memory.max": "max",
                ]) == 1_048_576)
        #expect(try limit(list, ["system.slice/payqueued.service/memory.max": "max"]) == nil)
        #expect(try limit(list, [:]) == nil)
    }

    @Test("is found in control groups of version 1, and where a container hides the group")
    func versionOne() throws {
        let list = "5:devices:/other\n4:cpu,memory:/a/b\n0::/\n"
        let files = [
            "memory/a/b/memory.limit_in_bytes": "4096", "memory/memory.limit_in_bytes": Self.none,
        ]
        #expect(try limit(list, files) == 4096)
        #expect(try limit(list, ["memory/memory.limit_in_bytes": "8192"]) == 8192)
        #expect(try limit("0::/hidden/group\n", ["memory.max": "16384"]) == 16384)
        #expect(
            try limit(list, ["memory/memory.limit_in_bytes": Self.none])
                == 9_223_372_036_854_771_712)
        #expect(try limit("", [:]) == nil && limit("strange", [:]) == nil)
    }

    @Test(
        "leaves one unfinished transaction for each KiB beyond 64 MiB, and some in less",
        arguments: [(256 << 20, 196_608), (128 << 20, 65_536), (64 << 20, 16_384), (1, 1)])
    func transactions(bytes: Int, expected: Int) throws {
        let place = try place(["cgroup": "0::/", "memory.max": "\(bytes)"])
        withExtendedLifetime(place) {
            let most = MemoryLimit.transactions(process: place.path, groups: place.path)
            #expect(most == expected)
        }
    }
}
