#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The index of the first line feed at or after `index`, nil if there is none.
func indexOfLineFeed(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
    guard let base = bytes.baseAddress, index < bytes.count else { return nil }
    guard let found = memchr(base + index, 0x0A, bytes.count - index) else { return nil }
    return UnsafeRawPointer(found) - base
}
