/// The orders at their places, in blocks.
///
/// A copy shares the blocks, and a change of either copies one block. So a snapshot that another thread
/// writes from a copy costs the store the same at any number of orders.
struct OrderSlots: Sendable {
    private static let blockLength = 128

    private(set) var blocks: [[SandboxOrder?]] = []
}

extension OrderSlots: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }

    var endIndex: Int {
        guard let last = blocks.last else { return 0 }
        return (blocks.count - 1) * Self.blockLength + last.count
    }

    subscript(place: Int) -> SandboxOrder? {
        get { blocks[place / Self.blockLength][place % Self.blockLength] }
        _modify { yield &blocks[place / Self.blockLength][place % Self.blockLength] }
    }

    mutating func append(_ order: SandboxOrder) {
        if blocks.last?.count ?? Self.blockLength == Self.blockLength {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(Self.blockLength)
        }
        blocks[blocks.count - 1].append(order)
    }
}
