import Foundation
import Synchronization
import Testing

@testable import PaymentStorage

/// Calls of the system that fail, each with the error that the system gave.
@Suite("System calls that fail")
struct SystemCallTests {
    /// Runs a body with a directory of its own.
    private func withDirectory(_ body: (URL, SystemDisk) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "calls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url, SystemDisk(path: url.path, create: false))
    }

    private func fails(
        _ operation: DiskFailure.Operation, _ number: Int32,
        _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: DiskFailure.self, sourceLocation: location) { try body() }
        #expect(error?.operation == operation, sourceLocation: location)
        #expect(error?.errno == number, sourceLocation: location)
    }

    @Test("fail on a file that is not open")
    func closedFile() {
        let file = SystemFile(descriptor: -1, name: "closed")
        var buffer: [UInt8] = [0]
        fails(.read, EBADF) { _ = try file.read(into: &buffer, at: 0) }
        fails(.write, EBADF) { _ = try file.write([1].span, at: 0) }
        fails(.sync, EBADF) { try file.syncData() }
        fails(.sync, EBADF) { try file.sync() }
        fails(.examine, EBADF) { try file.allocate(upTo: 1) }
        fails(.truncate, EBADF) { try file.truncate(to: 0) }
        fails(.examine, EBADF) { _ = try file.length() }
        fails(.examine, EBADF) { try file.checkIsRegular() }
        fails(.lock, EBADF) { _ = try file.lockExclusively() }
        #expect(file.lockHolder() == nil)
    }

    @Test("tell the limit of file sizes")
    func longestFile() throws {
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var before = rlimit()
        try #require(getrlimit(resource, &before) == 0)
        let disk = SystemDisk(descriptor: -1, name: "closed")
        #expect(disk.longestFile == Int(clamping: before.rlim_cur))
        // No file of another test is as long.
        var lower = before
        lower.rlim_cur = min(1 << 50, before.rlim_max)
        try #require(setrlimit(resource, &lower) == 0)
        defer { setrlimit(resource, &before) }
        #expect(disk.longestFile == Int(lower.rlim_cur))
    }

    @Test("fail in a directory that is not open")
    func closedDirectory() throws {
        let disk = SystemDisk(descriptor: -1, name: "closed")
        fails(.open, EBADF) { _ = try disk.open("a", .create) }
        fails(.open, EBADF) { _ = try disk.directory("a", create: true) }
        fails(.open, EBADF) { _ = try disk.directory("a", create: false) }
        fails(.rename, EBADF) { try disk.rename("a", to: "b") }
        fails(.link, EBADF) { try disk.link("a", into: disk, as: "b") }
        fails(.link, EXDEV) {
            try disk.link("a", into: ObservedDisk(disk) { _, _, _ in }, as: "b")
        }
        fails(.remove, EBADF) { try disk.remove("a") }
        fails(.list, EBADF) { _ = try disk.list() }
        fails(.examine, EBADF) { _ = try disk.status(of: "a") }
        fails(.examine, EBADF) { _ = try disk.status() }
        fails(.examine, EBADF) { _ = try disk.space() }
        fails(.sync, EBADF) { try disk.sync() }
    }

    @Test("fail on names that are not there, or of another kind")
    func names() throws {
        try withDirectory { url, disk in
            _ = try disk.open("file", .create)
            let folder = try disk.directory("folder", create: true)
            _ = try folder.open("inner", .create)
            fails(.open, ENOENT) { _ = try SystemDisk(path: url.path + "/none", create: false) }
            fails(.open, ENOENT) { _ = try disk.open("none", .read) }
            fails(.open, EEXIST) { _ = try disk.open("file", .create) }
            fails(.open, EISDIR) { _ = try disk.open("folder", .read) }
            let reason = DiskFailure(.open, "folder", errno: EISDIR).reason
            #expect(reason == "it is not a regular file")
            #expect(mkfifo(url.path + "/pipe", 0o600) == 0)
            fails(.open, ENXIO) { _ = try disk.open("pipe", .update) }
            fails(.open, ENOTDIR) { _ = try disk.directory("file", create: true) }
            fails(.rename, ENOENT) { try disk.rename("none", to: "other") }
            fails(.link, ENOENT) { try disk.link("none", into: folder, as: "other") }
            fails(.remove, ENOENT) { try disk.remove("none") }
            fails(.remove, ENOTEMPTY) { try disk.remove("folder") }
            fails(.examine, ENAMETOOLONG) {
                _ = try disk.status(of: String(repeating: "x", count: 300))
            }
            #expect(try disk.status(of: "none") == nil)
            #expect(try disk.list() == ["file", "folder", "pipe"])
            try folder.remove("inner")
            try disk.remove("folder")
            try disk.remove("file")
            #expect(try disk.list() == ["pipe"])
        }
    }

    @Test("an empty write is none, and a file that is long enough gets no more room")
    func nothingToWrite() throws {
        try withDirectory { _, disk in
            let file = try disk.open("file", .create)
            #expect(try file.write([UInt8]().span, at: 0) == 0)
            try file.allocate(upTo: 8192)
            #expect(try file.length() == 8192)
            try file.allocate(upTo: 4096)
            #expect(try file.length() == 8192)
        }
    }

    @Test("that there is no way to get more room for a device is an error")
    func device() {
        let file = SystemFile(descriptor: open("/dev/null", O_RDWR | O_CLOEXEC), name: "null")
        fails(.write, ENODEV) { try file.allocate(upTo: 1) }
    }

    @Test("the holder of a lock is the process with a lock of the whole file")
    func lockHolder() throws {
        try withDirectory { url, disk in
            _ = try disk.open("lock", .create)
            let posix = open(url.path + "/lock", O_RDWR | O_CLOEXEC)
            var lock = Glibc.flock()
            lock.l_type = Int16(F_WRLCK)
            #expect(fcntl(posix, F_SETLK, &lock) == 0)
            let file = SystemFile(descriptor: posix, name: "lock")
            #expect(file.lockHolder() == nil)
            #expect(try file.lockExclusively())
            #expect(file.lockHolder() == getpid())
            file.unlock()
            #expect(file.lockHolder() == nil)
        }
    }

    @Test("say whether a directory exists, and whether it could be made")
    func examined() throws {
        try withDirectory { url, _ in
            #expect(try SystemDisk.examine(path: url.path))
            #expect(try !SystemDisk.examine(path: url.path + "/one//two/"))
            #expect(FileManager.default.createFile(atPath: url.path + "/file", contents: nil))
            fails(.open, ENOENT) { _ = try SystemDisk.examine(path: "") }
            fails(.open, ENOTDIR) { _ = try SystemDisk.examine(path: url.path + "/file/one") }
            // A directory cannot be made there, not even by root.
            fails(.open, ENOENT) { _ = try SystemDisk(path: "/proc/none/one", create: true) }
            // Its permissions bind root as well.
            #expect(throws: DiskFailure.self) { try SystemDisk.examine(path: "/proc/sys/none") }
            _ = try SystemDisk(path: url.path + "/one//two/", create: true)
            _ = try SystemDisk(path: url.path + "/one/two", create: true)
            #expect(try SystemDisk.examine(path: url.path + "/one/two"))
            fails(.open, ENOTDIR) { _ = try SystemDisk(path: url.path + "/file/one", create: true) }
        }
    }

    @Test("background work runs once, on a thread of its own")
    func background() {
        let threads = Mutex<[pthread_t]>([])
        StorageEnvironment.system.background { threads.withLock { $0.append(pthread_self()) } }
        while threads.withLock({ $0.isEmpty }) { usleep(1000) }
        #expect(threads.withLock { $0 }.allSatisfy { $0 != pthread_self() })
    }

    @Test("a file of the system without a line has none")
    func noLine() {
        #expect(readLine(ofFile: "/dev/null") == nil)
        #expect(readLine(ofFile: "/none") == nil)
        #expect(readLine(ofFile: "/proc/sys/kernel/ostype") == "Linux")
    }

    @Test("are repeated while signals interrupt them, but not for ever")
    func interrupted() {
        var calls = 0
        func call(interruptions: Int, _ result: CInt, _ number: Int32) -> CInt {
            calls = 0
            return retrying {
                calls += 1
                errno = calls <= interruptions ? EINTR : number
                return calls <= interruptions ? -1 : result
            }
        }
        #expect(call(interruptions: 3, 7, 0) == 7 && calls == 4)
        // A number that an earlier call left means nothing.
        #expect(call(interruptions: 0, 7, EINTR) == 7 && calls == 1)
        #expect(call(interruptions: 2, -1, EIO) == -1 && calls == 3)
        #expect(call(interruptions: .max, 7, 0) == -1 && calls == 1001)
    }
}
