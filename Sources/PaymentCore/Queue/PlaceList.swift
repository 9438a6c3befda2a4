/// Places in the order of their positions, with cheap removal anywhere.
///
/// A removed place stays as a stale entry until a quarter of the list is stale; a reader of
/// the list asks the owner whether an entry still counts. That keeps the list an array, so that a page
/// starts at a position by binary search.
struct PlaceList: Sendable {
    /// One place and its position at the time of insertion.
    struct Entry: Sendable, Hashable {
        var position: UInt64
        var place: Int32
    }

    private var entries: [Entry] = []
    private var first = 0
    private var stale = 0

    /// The number of current entries.
    var count: Int { entries.count - first - stale }

    /// Appends a place; its position must be the greatest.
    mutating func append(_ place: Int32, position: UInt64) {
        entries.append(Entry(position: position, place: place))
    }

    /// Inserts a place by its position, for a transaction that returns to the list.
    mutating func insert(_ place: Int32, position: UInt64) {
        // A new place comes last. The search for its index would read all over a long list.
        if entries.last.map({ $0.position < position }) ?? true {
            return append(place, position: position)
        }
        let index = index(after: position)
        let entry = Entry(position: position, place: place)
        // Its old entry may still be there, stale until now.
        if index > first, entries[index - 1] == entry {
            stale -= 1
        } else {
            entries.insert(entry, at: index)
        }
    }

    /// Counts one entry as stale and drops stale entries; `isCurrent` identifies the others.
    mutating func noteRemoval(isCurrent: (Entry) -> Bool) {
        stale += 1
        while first < entries.count, stale > 0, !isCurrent(entries[first]) {
            first += 1
            stale -= 1
        }
        guard stale + first > 64, stale + first > entries.count / 4 else { return }
        entries = entries[first...].filter(isCurrent)
        first = 0
        stale = 0
    }

    /// Returns all current entries and empties the list.
    mutating func removeAll(isCurrent: (Entry) -> Bool) -> [Entry] {
        let taken = entries[first...].filter(isCurrent)
        self = PlaceList()
        return taken
    }

    /// All entries, including stale ones.
    var all: ArraySlice<Entry> { entries[first...] }

    /// The first current entry.
    func first(isCurrent: (Entry) -> Bool) -> Entry? {
        entries[first...].first(where: isCurrent)
    }

    /// Calls `body` for the entries after a position, in order, until it returns false.
    func forEach(after position: UInt64, _ body: (Entry) -> Bool) {
        var index = index(after: position)
        while index < entries.count, body(entries[index]) { index += 1 }
    }

    private func index(after position: UInt64) -> Int {
        var low = first
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
