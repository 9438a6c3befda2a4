/// The indexes of all accounts. Almost every command concerns the account in session, so the index
/// that was changed last is found without hashing its name.
struct AccountIndexes: Sendable {
    private var indexes = [AccountIndex()]
    private var names: [AccountName?] = [nil]
    private var places: [AccountName?: Int] = [nil: 0]
    private var last = 0

    /// The names, in the order of their first use; the first is nil, no account.
    var keys: [AccountName?] { names }

    /// The indexes in the order of `keys`.
    var values: [AccountIndex] { indexes }

    /// The index of an account; nil if the account has none.
    subscript(name: AccountName?) -> AccountIndex? {
        place(of: name).map { indexes[$0] }
    }

    /// The index of an account, created if missing.
    subscript(name: AccountName?, default empty: @autoclosure () -> AccountIndex) -> AccountIndex {
        get { self[name] ?? empty() }
        _modify {
            last = place(of: name) ?? add(name, empty())
            yield &indexes[last]
        }
    }

    /// Ensures that an account has an index.
    mutating func ensure(_ name: AccountName?) {
        if place(of: name) == nil { last = add(name, AccountIndex()) }
    }

    private func place(of name: AccountName?) -> Int? {
        names[last] == name ? last : places[name]
    }

    private mutating func add(_ name: AccountName?, _ index: AccountIndex) -> Int {
        indexes.append(index)
        names.append(name)
        places[name] = indexes.count - 1
        return indexes.count - 1
    }
}
