import Foundation
import Testing

@testable import Systemd

@Suite struct MemoryFileTests {
    @Test func `what was put down is there for whoever takes the descriptor over`() throws {
        let file = try #require(MemoryFile(name: "test"))
        #expect(file.content == nil)
        #expect(file.settle(head: [1, 2], rest: [3]))
        let other = try #require(MemoryFile(descriptor: dup(file.descriptor)))
        #expect(other.content == [1, 2, 3])
        #expect(file.settle(head: [7, 8], rest: nil))
        #expect(other.content == [7, 8, 3])
        file.beginChange()
        #expect(!other.isSettled && other.content == nil)
        #expect(file.settle(head: [], rest: []))
        #expect(other.content == [])
    }

    @Test(arguments: [0, 1, 4079, 4080, 4081, 70_000, 1 << 20])
    func `it grows with its content and shrinks again`(count: Int) throws {
        let file = try #require(MemoryFile(name: "test"))
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(file.settle(head: [9], rest: bytes))
        #expect(file.content == [9] + bytes)
        #expect(file.settle(head: [9], rest: [1]))
        #expect(file.content == [9, 1])
        var status = stat()
        fstat(file.descriptor, &status)
        #expect(status.st_size <= 64 << 10)
    }

    @Test func `content beyond its limit is refused and leaves it unsettled`() throws {
        let file = try #require(MemoryFile(name: "test"))
        #expect(!file.settle(head: [], rest: [UInt8](repeating: 0, count: 64 << 20)))
        #expect(!file.isSettled)
    }

    @Test func `a descriptor that is no file, or a file that makes no sense, is refused`() throws {
        #expect(MemoryFile(descriptor: -1) == nil)
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        #expect(MemoryFile(descriptor: socket) == nil)
        let file = try #require(MemoryFile(name: "test"))
        file.settle(head: [], rest: [1, 2, 3])
        var count = UInt64.max
        #expect(pwrite(file.descriptor, &count, 8, 8) == 8)
        let other = try #require(MemoryFile(descriptor: dup(file.descriptor)))
        #expect(other.isSettled && other.content == nil)
        ftruncate(file.descriptor, 8)
        #expect(MemoryFile(descriptor: file.descriptor) == nil)
        // So that the end of the test does not touch what is no more.
        ftruncate(file.descriptor, 4096)
    }

    @Test func `what is stored is told from what is not`() throws {
        let file = try #require(MemoryFile(name: "test"))
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let path = "/tmp/stored-\(getpid())"
        let listener = listenUnix(path)
        let null = open("/dev/null", O_RDONLY)
        defer {
            (ends + [listener, null]).forEach { close($0) }
            unlink(path)
        }
        #expect(InheritedSockets.storedKind(of: file.descriptor) == .file)
        #expect(InheritedSockets.storedKind(of: ends[0]) == .connection)
        #expect(InheritedSockets.storedKind(of: listener) == nil)
        #expect(InheritedSockets.storedKind(of: null) == nil)
        #expect(InheritedSockets.storedKind(of: -1) == nil)
    }

    @Test func `descriptors travel with their name, and are taken back by it`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket(abstract: false)
            manager.announce()
            setenv("FDSTORE", "16", 1)
            let store = DescriptorStore()
            #expect(store.isReachable && store.capacity == 16)
            #expect(store.keep([0, 1], name: "client-1", patience: .zero) == .sent)
            #expect(manager.receive() == "FDSTORE=1\nFDNAME=client-1")
            #expect(store.remove(name: "client-1", patience: .zero) == .sent)
            #expect(manager.receive() == "FDSTOREREMOVE=1\nFDNAME=client-1")
            unsetenv("NOTIFY_SOCKET")
            unsetenv("FDSTORE")
            let none = DescriptorStore()
            #expect(none.capacity == nil)
            #expect(none.keep([0], name: "a", patience: .zero) == .noManager)
        }
    }
}
