import Foundation
import Testing

@testable import PaymentStorage

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

    private func reason(
        _ path: String, _ protection: GivenFile.Protection = .open, credentials: String? = nil
    ) -> String? {
        do throws(GivenFile.Failure) {
            _ = try GivenFile.read(path, protection, credentials: credentials, limitBytes: 10)
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
            // The first page of a process is never mapped.
            #expect(reason("/proc/self/mem") == "input/output error")
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
            // The user that renews a certificate.
            #expect(reason(path, .readableByGroup) == nil)
            for protection in [GivenFile.Protection.unchangeable, .secret] {
                let reason = reason(path, protection)
                #expect(reason?.contains("belongs to user 61233") == true)
                #expect(reason?.contains("run chown 0 '\(path)', or mount it read-only") == true)
            }
        }
    }

    @Test("of another user, and one that others may write, is accepted from a read-only mount")
    func readOnlyMount() {
        func isAccepted(
            _ mode: mode_t, _ protection: GivenFile.Protection, isMountedReadOnly: Bool
        ) -> Bool {
            var status = stat()
            status.st_uid = 61233
            status.st_gid = 61233
            status.st_mode = S_IFREG | mode
            do throws(GivenFile.Failure) {
                try GivenFile.check(
                    status, protection, "/file", isMountedReadOnly: isMountedReadOnly)
                return true
            } catch {
                return false
            }
        }
        let accepted: [(GivenFile.Protection, mode_t)] = [
            (.unchangeable, 0o644), (.unchangeable, 0o666), (.secret, 0o600), (.secret, 0o622),
        ]
        for (protection, mode) in accepted {
            #expect(isAccepted(mode, protection, isMountedReadOnly: true))
            #expect(!isAccepted(mode, protection, isMountedReadOnly: false))
        }
        #expect(!isAccepted(0o640, .secret, isMountedReadOnly: true))
        #expect(!isAccepted(0o644, .readableByGroup, isMountedReadOnly: true))
    }

    @Test("is accepted as the service manager provides it, from a directory that is protected")
    func credentials() throws {
        try withDirectory { place in
            let path = "\(place)/file"
            try Data([1]).write(to: URL(filePath: path))
            let name = URL(filePath: place).lastPathComponent
            // An access list shows as the permission of the group.
            #expect(chmod(path, 0o440) == 0)
            #expect(reason(path, .secret)?.contains("other users can read it") == true)
            #expect(reason(path, .secret, credentials: place) == nil)
            #expect(reason(path, .secret, credentials: "") != nil)
            #expect(reason(path, .secret, credentials: "\(place)/other") != nil)
            #expect(reason("\(place)/../\(name)/file", .secret, credentials: place) != nil)
            #expect(chmod(place, 0o777) == 0)
            #expect(reason(path, .secret, credentials: place) != nil)
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
