import Foundation
import Glibc

/// The pages of the program and its libraries that only the start has touched.
///
/// Finding out which types do what reads over the whole program once, and each page read counts as this
/// process's memory for as long as nobody wants it back: some twenty MiB. What is let go stays in the
/// system's cache, and whatever runs again is mapped again without being read.
enum StartupPages {
    /// Lets go of all of them. Only of what is executed and never written: other pages have been changed since
    /// they were read.
    static func release() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else {
            return
        }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { continue }
            madvise(
                UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
