import Glibc
import Testing

@testable import Listening

@Suite struct OwnSocketFileTests {
    private static func bound(_ path: String) -> CInt {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
        return made
    }

    @Test func `the own file is removed, and none that has taken its path after the close`() throws
    {
        let path = "/tmp/own-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { unlink(path) }
        close(Self.bound(path))
        try #require(OwnSocketFile(path)).remove()
        #expect(access(path, F_OK) != 0)

        // Each replacement would get the identity of the file that is removed before it, if that
        // could be used again.
        for _ in 0..<100 {
            close(Self.bound(path))
            let file = try #require(OwnSocketFile(path))
            unlink(path)
            close(Self.bound(path))
            file.remove()
            try #require(access(path, F_OK) == 0)
            unlink(path)
        }
    }

    @Test func `a file that is not a socket is not an own one`() {
        #expect(OwnSocketFile("/dev/null") == nil)
        #expect(OwnSocketFile("/nowhere/at/all") == nil)
    }
}
