/// The books of all accounts. Almost every command is about the account in session, so the book
/// that was changed last is found without hashing its name.
struct AccountBooks: Sendable {
    private var books = [AccountBook()]
    private var names: [AccountName?] = [nil]
    private var places: [AccountName?: Int] = [nil: 0]
    private var last = 0

    /// The names, in the order in which they came up; nobody is the first.
    var keys: [AccountName?] { names }

    /// The books, in the same order.
    var values: [AccountBook] { books }

    /// The book of an account that has come up.
    subscript(name: AccountName?) -> AccountBook? {
        place(of: name).map { books[$0] }
    }

    /// The book of an account, made if there is none.
    subscript(name: AccountName?, default empty: @autoclosure () -> AccountBook) -> AccountBook {
        get { self[name] ?? empty() }
        _modify {
            last = place(of: name) ?? add(name, empty())
            yield &books[last]
        }
    }

    /// Makes sure that an account has a book.
    mutating func ensure(_ name: AccountName?) {
        if place(of: name) == nil { last = add(name, AccountBook()) }
    }

    private func place(of name: AccountName?) -> Int? {
        names[last] == name ? last : places[name]
    }

    private mutating func add(_ name: AccountName?, _ book: AccountBook) -> Int {
        books.append(book)
        names.append(name)
        places[name] = books.count - 1
        return books.count - 1
    }
}
