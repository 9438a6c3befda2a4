/// A search for the nearest known name to an unknown one.
public enum NearestName {
    /// The length above which names are not compared, in bytes. The cost grows with the product of
    /// the lengths, and longer names are not typing errors.
    private static let longestBytes = 64

    /// The candidate with the fewest edits, if they are few enough for a typing error. One edit per
    /// three letters is allowed, and at least one. Otherwise the first candidate that ends with the name, if
    /// the name has at least four letters: `token` finds `appAccountToken`.
    ///
    /// Case is ignored, and a swap of adjacent letters is one edit. Of equally near candidates the
    /// first wins, so that the result is stable.
    public static func find(_ given: String, in candidates: some Sequence<String>) -> String? {
        let wanted = folded(given)
        guard !wanted.isEmpty, wanted.count <= longestBytes else { return nil }
        var best: (name: String, edits: Int)?
        var beginning: (name: String, edits: Int)?
        var ending: String?
        for candidate in candidates {
            let letters = folded(candidate)
            guard letters.count <= longestBytes else { continue }
            let edits = distances(wanted, letters)
            let whole = edits[letters.count]
            let allowed = max(1, max(wanted.count, letters.count) / 3)
            if whole <= allowed, whole < letters.count, whole < best?.edits ?? Int.max {
                best = (candidate, whole)
            }
            let start = edits.min() ?? whole
            if wanted.count >= 3, start <= wanted.count / 6, start < beginning?.edits ?? Int.max {
                beginning = (candidate, start)
            }
            if ending == nil, wanted.count >= 4, letters.suffix(wanted.count).elementsEqual(wanted)
            {
                ending = candidate
            }
        }
        return best?.name ?? beginning?.name ?? ending
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }

    /// Edits by insertion, deletion, replacement and swap of neighbours (optimal string alignment) to
    /// each beginning of a text; the last is the whole.
    private static func distances(_ left: [UInt8], _ right: [UInt8]) -> [Int] {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for (column, other) in right.enumerated() {
                var edits = min(last[column + 1], current[column]) + 1
                edits = min(edits, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            beforeLast = last
            last = current
        }
        return last
    }
}
