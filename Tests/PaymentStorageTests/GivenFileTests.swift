import Foundation
import PaymentStorage
import Testing

@Suite("A file that a user names")
struct GivenFileTests {
    /// Runs a body with a directory of its own.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "given-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path)
    }

    private func reason(_ path: String, _ protection: GivenFile.Protection = .open) -> String? {
        do throws(GivenFile.Failure) {
            _ = try GivenFile.read(path, protection, limitBytes: 10)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("is read whole, also through a link")
    func reading() throws {
        try withDirectory { place in
            try Data([1, 2, 3]).write(to: URL(filePath: "\(place)/file"))
            #expect(symlink("\(place)/file", "\(place)/link") == 0)
            for name in ["file", "link"] {
                #expect(try GivenFile.read("\(place)/\(name)", .open, limitBytes: 3) == [1, 2, 3])
            }
            #expect(throws: GivenFile.Failure.self) {
                try GivenFile.read("\(place)/file", .open, limitBytes: 2)
            }
            #expect(reason("\(place)/missing") == "no such file or directory")
        }
    }

    @Test("that is a pipe, a socket, a device or a directory is refused without waiting")
    func kinds() throws {
        try withDirectory { place in
            #expect(mkfifo("\(place)/pipe", 0o600) == 0)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(place)/s".utf8) }
            let bound = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            for path in ["\(place)/pipe", "\(place)/s", "/dev/zero", place] {
                #expect(reason(path) == "it is not a file", "\(path)")
            }
        }
    }

    @Test("is refused if other users have more access than its content permits")
    func modes() throws {
        try withDirectory { place in
            let path = "\(place)/file"
            try Data([1]).write(to: URL(filePath: path))
            let accepted: [(GivenFile.Protection, [mode_t])] = [
                (.open, [0o666, 0o644, 0o600]), (.unchangeable, [0o644, 0o664, 0o600, 0o444]),
                (.readableByGroup, [0o640, 0o600]), (.secret, [0o600, 0o400]),
            ]
            let refused: [(GivenFile.Protection, [mode_t])] = [
                (.unchangeable, [0o666, 0o646]), (.readableByGroup, [0o644, 0o660]),
                (.secret, [0o640, 0o604, 0o620]),
            ]
            for (protection, modes) in accepted {
                for mode in modes {
                    #expect(chmod(path, mode) == 0)
                    #expect(reason(path, protection) == nil, "\(protection) \(mode)")
                }
            }
            for (protection, modes) in refused {
                for mode in modes {
                    #expect(chmod(path, mode) == 0)
                    #expect(reason(path, protection)?.contains("run chmod") == true)
                }
            }
        }
    }

    @Test("is checked as it was read, not as it is now")
    func contents() throws {
        try withDirectory { place in
            let path = "\(place)/file"
            try Data([1]).write(to: URL(filePath: path))
            #expect(chmod(path, 0o644) == 0)
            let found = try GivenFile.contents(of: path, .open)
            #expect(chmod(path, 0o600) == 0)
            #expect(found.bytes == [1])
            #expect(throws: GivenFile.Failure.self) { try found.check(.secret) }
            try GivenFile.contents(of: path, .open).check(.secret)
        }
    }

    @Test("of another user is refused where it grants anything")
    func owners() throws {
        // Only root can give files away.
        guard geteuid() == 0 else { return }
        try withDirectory { place in
            let path = "\(place)/file"
            try Data([1]).write(to: URL(filePath: path))
            #expect(chmod(path, 0o664) == 0 && chown(path, 0, 61233) == 0)
            #expect(reason(path, .unchangeable)?.contains("other users can change it") == true)
            #expect(chmod(path, 0o600) == 0 && chown(path, 61233, 0) == 0)
            #expect(reason(path, .open) == nil)
            for protection in [GivenFile.Protection.unchangeable, .readableByGroup, .secret] {
                #expect(reason(path, protection)?.contains("belongs to user 61233") == true)
            }
        }
    }

    @Test("is in a directory in which others cannot replace it")
    func directories() throws {
        try withDirectory { place in
            for (mode, canReplace) in [
                (0o755, false), (0o777, true), (0o1777, false), (0o700, false), (0o703, true),
            ] as [(mode_t, Bool)] {
                #expect(chmod(place, mode) == 0)
                #expect(OtherUsers.canReplaceEntries(of: place) == canReplace)
            }
            #expect(chmod(place, 0o700) == 0)
            #expect(!OtherUsers.canReplaceEntries(of: "\(place)/missing"))
        }
    }
}
