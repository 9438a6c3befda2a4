import Foundation
import PaymentStorage
import Testing

@testable import payqueue_store

@Suite struct StoreSocketFileTests {
    private static func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/pq-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        let place = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try body(place)
    }

    private static func use(
        _ path: String, type: __socket_type = SOCK_STREAM,
        _ action: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> (descriptor: Int32, errno: Int32) {
        let made = socket(AF_UNIX, Int32(type.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                action(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return (made, result == 0 ? 0 : errno)
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func `a socket that was closed is removed`() throws {
        try Self.withDirectory { place in
            close(Self.use("\(place)/s", bind).descriptor)
            try StoreSocketFile("\(place)/s").prepare()
            #expect(!Self.exists("\(place)/s"))
        }
    }

    @Test func `a socket that is too busy to accept is left`() throws {
        try Self.withDirectory { place in
            let listener = Self.use("\(place)/s", bind).descriptor
            #expect(listen(listener, 0) == 0)
            var visitors: [Int32] = []
            defer { for descriptor in visitors + [listener] { close(descriptor) } }
            while visitors.count < 8 {
                let visitor = Self.use("\(place)/s", connect)
                visitors.append(visitor.descriptor)
                if visitor.errno == EAGAIN { break }
            }
            #expect(visitors.count < 8)
            #expect(throws: StartFailure.self) { try StoreSocketFile("\(place)/s").prepare() }
            #expect(Self.exists("\(place)/s"))
        }
    }

    @Test func `a socket of another kind is left`() throws {
        try Self.withDirectory { place in
            let other = Self.use("\(place)/s", type: SOCK_DGRAM, bind).descriptor
            defer { close(other) }
            #expect(throws: StartFailure.self) { try StoreSocketFile("\(place)/s").prepare() }
            #expect(Self.exists("\(place)/s"))
        }
    }

    @Test func `a socket of another user is left, also by root`() throws {
        // Only root can give files away.
        guard geteuid() == 0 else { return }
        try Self.withDirectory { place in
            close(Self.use("\(place)/s", bind).descriptor)
            #expect(chown("\(place)/s", 61233, 0) == 0)
            #expect(throws: StartFailure.self) { try StoreSocketFile("\(place)/s").prepare() }
            #expect(Self.exists("\(place)/s"))
        }
    }

    @Test func `temporary sockets of killed starts are removed, and nothing else`() throws {
        try Self.withDirectory { place in
            let stale = StoreSocketFile("\(place)/s").temporaryPath
            let fresh = StoreSocketFile("\(place)/s").temporaryPath
            let live = StoreSocketFile("\(place)/s").temporaryPath
            let file = StoreSocketFile("\(place)/s").temporaryPath
            #expect(Set([stale, fresh, live, file]).count == 4)
            for path in [stale, fresh] { close(Self.use(path, bind).descriptor) }
            let listener = Self.use(live, bind).descriptor
            defer { close(listener) }
            #expect(listen(listener, 1) == 0)
            try Data().write(to: URL(filePath: file))
            let past = timespec(tv_sec: time(nil) - 3600, tv_nsec: 0)
            for path in [stale, live, file] {
                #expect(utimensat(AT_FDCWD, path, [past, past], 0) == 0)
            }
            try StoreSocketFile("\(place)/s").prepare()
            #expect(!Self.exists(stale))
            for path in [fresh, live, file] { #expect(Self.exists(path)) }
        }
    }

    @Test func `a path is refused if its temporary name is too long`() throws {
        let directory = "/" + String(repeating: "d", count: 98)
        for (name, isShort) in [("1234567", true), ("s", true), ("12345678", false)] {
            #expect((ListenAddress("unix:\(directory)/\(name)") != nil) == isShort)
        }
        #expect(StoreSocketFile("\(directory)/s").temporaryPath.utf8.count == 107)
        #expect(ListenAddress("unix:\(directory)d/s") == nil)
    }
}
