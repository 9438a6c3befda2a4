#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Whether all bytes from an index on are line feeds or zeros.
func isBlank(_ bytes: UnsafeRawBufferPointer, from index: Int) -> Bool {
    var index = index
    while index < bytes.count {
        guard bytes[index] == 0x0A || bytes[index] == 0 else { return false }
        index += 1
    }
    return true
}

/// The index of the first line feed at or after `index`, nil if there is none.
func indexOfLineFeed(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
    guard let base = bytes.baseAddress, index < bytes.count else { return nil }
    guard let found = memchr(base + index, 0x0A, bytes.count - index) else { return nil }
    return UnsafeRawPointer(found) - base
}
