/// Finds a name that an object has twice. Its memory is kept from object to object.
///
/// Names are compared as the bytes that they stand for: `"a"` and `"\u0061"` are the same name,
/// two normal forms of one letter are not. Hashes are seeded per process, so that nobody can
/// choose names that collide.
struct NameTable {
    private struct Slot {
        var hash: Int
        /// The token of the name, or -1 for a free slot.
        var token: Int32
    }

    /// Up to this many members, comparing every pair costs less than hashing.
    private static let pairwiseLimit = 8

    private var slots: [Slot] = []

    /// Looks for the first name that repeats an earlier one.
    ///
    /// - Parameters:
    ///   - object: The index of the object, whose members are complete.
    ///   - tokens: The tokens scanned so far.
    ///   - bytes: The text.
    /// - Returns: The offset of its quotation mark, or nil.
    @inline(__always)
    mutating func firstRepeated(
        in object: Int, _ tokens: [JSONToken], _ bytes: Span<UInt8>
    ) -> Int? {
        let count = Int(tokens[object].count)
        if count <= Self.pairwiseLimit {
            if let found = Self.pairwise(object, count, tokens, bytes) { return found }
            return nil
        }
        return hashed(object, count, tokens, bytes)
    }

    private static func pairwise(
        _ object: Int, _ count: Int, _ tokens: [JSONToken], _ bytes: Span<UInt8>
    ) -> Int? {
        var name = Int(tokens[object + 1 + 1].next)
        for later in 1..<count {
            var earlier = object + 1
            for _ in 0..<later {
                if sameText(tokens[earlier], tokens[name], bytes) { return Int(tokens[name].start) }
                earlier = Int(tokens[earlier + 1].next)
            }
            if later + 1 < count { name = Int(tokens[name + 1].next) }
        }
        return nil
    }

    private mutating func hashed(
        _ object: Int, _ count: Int, _ tokens: [JSONToken], _ bytes: Span<UInt8>
    ) -> Int? {
        var size = 32
        while size < count * 2 { size *= 2 }
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(Slot(hash: 0, token: -1), count: size))
        var name = object + 1
        for _ in 0..<count {
            let token = tokens[name]
            let hash = Self.hash(token, bytes)
            var place = hash & (size - 1)
            while slots[place].token >= 0 {
                let other = tokens[Int(slots[place].token)]
                if slots[place].hash == hash, Self.sameText(other, token, bytes) {
                    return Int(token.start)
                }
                place = (place + 1) & (size - 1)
            }
            slots[place] = Slot(hash: hash, token: Int32(truncatingIfNeeded: name))
            name = Int(tokens[name + 1].next)
        }
        return nil
    }

    private static func hash(_ token: JSONToken, _ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        if token.hasEscapes {
            for byte in decodedText(token, in: bytes) { hasher.combine(byte) }
        } else {
            for offset in token.contentRange { hasher.combine(bytes[offset]) }
        }
        return hasher.finalize()
    }

    @inline(__always)
    private static func sameText(
        _ left: JSONToken, _ right: JSONToken, _ bytes: Span<UInt8>
    ) -> Bool {
        if left.hasEscapes || right.hasEscapes {
            return decodedText(left, in: bytes) == decodedText(right, in: bytes)
        }
        guard left.end - left.start == right.end - right.start else { return false }
        var here = Int(left.start)
        var there = Int(right.start)
        while here < Int(left.end) {
            if bytes[here] != bytes[there] { return false }
            here += 1
            there += 1
        }
        return true
    }
}
