/// The accounts that own the records which were written without an account.
///
/// An account that logs in owns everything that was recorded while no account was logged in. One
/// entry for each such login replaces a change of every record, so that records on disk stay
/// unchanged.
struct ClaimList: Sendable, Hashable {
    /// A login after a time without a session.
    struct Claim: Sendable, Hashable {
        /// The record of the login. The account owns the records without an account after the
        /// previous claim, up to this one.
        var sequence: SequenceNumber
        /// The account that logged in.
        var account: AccountName
    }

    /// The claims in the order of the logins. Neighbours have different accounts.
    private(set) var all: [Claim] = []
    /// The last record of which the claims are unknown, because an older version wrote no claims;
    /// 0 in other queues.
    var unknownUpTo: SequenceNumber = 0

    /// Notes a login after a time without a session.
    mutating func add(_ account: AccountName, at sequence: SequenceNumber) {
        // Both ranges have the same owner, so one entry is enough.
        if all.last?.account == account { all.removeLast() }
        all.append(Claim(sequence: sequence, account: account))
    }

    /// The account that owns a record which was written without an account; nil if no account has
    /// logged in since.
    func owner(of sequence: SequenceNumber) -> AccountName? {
        let index = index(after: sequence)
        return index < all.count ? all[index].account : nil
    }

    /// The position after which the next records belong to an account.
    ///
    /// - Parameters:
    ///   - account: The account; nil for records that no account owns yet.
    ///   - position: The result is not before this position.
    /// - Returns: The position; nil if no record behind `position` can belong to the account.
    func beginning(
        of account: AccountName?, after position: SequenceNumber
    ) -> SequenceNumber? {
        guard let account else { return max(position, all.last?.sequence ?? 0) }
        var index = index(after: position)
        while index < all.count {
            if all[index].account == account {
                return max(position, index == 0 ? 0 : all[index - 1].sequence)
            }
            index += 1
        }
        return nil
    }

    /// The index of the first claim behind a position.
    private func index(after position: SequenceNumber) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].sequence <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
