import Systemd
import Testing

/// When freed memory goes back to the system.
@Suite struct FreedMemoryTests {
    private static let mebibyte = 1 << 20

    @Test func `memory is released when most of many connections have gone, once`() {
        var freed = FreedMemory()
        let small = 10 * Self.mebibyte
        let seen = [1, 64, 33, 32, 0].enumerated().map { second, connections in
            freed.mustRelease(
                connections: connections, residentBytes: small, now: .seconds(second))
        }
        #expect(seen == [false, false, false, true, false])
    }

    @Test func `a few connections that leave change nothing`() {
        var freed = FreedMemory()
        let seen = [15, 0].map {
            freed.mustRelease(connections: $0, residentBytes: 1, now: .zero)
        }
        #expect(seen == [false, false])
    }

    @Test func `memory is released when the process has grown, and not again for what is in use`() {
        var freed = FreedMemory()
        func look(_ mebibytes: Int, at second: Int) -> Bool {
            freed.mustRelease(
                connections: 1, residentBytes: mebibytes * Self.mebibyte, now: .seconds(second))
        }
        #expect(!look(10, at: 0))
        #expect(!look(42, at: 1))
        #expect(look(43, at: 2))
        #expect(!look(90, at: 3), "two releases are some seconds apart")
        freed.settled(at: 80 * Self.mebibyte)
        #expect(!look(112, at: 10))
        #expect(look(113, at: 11))
    }

    @Test func `a process knows its own memory`() throws {
        let bytes = try #require(ProcessMemory.ownBytes)
        #expect(bytes > 100_000)
    }
}
