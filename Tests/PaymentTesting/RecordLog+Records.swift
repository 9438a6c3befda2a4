public import PaymentCore

extension RecordLog {
    /// Reads committed records after a position, over the pages of the log.
    ///
    /// - Parameters:
    ///   - position: Records with greater sequence numbers are read.
    ///   - count: The maximum number of records.
    /// - Returns: The records, oldest first.
    /// - Throws: The records directly behind the position cannot be read.
    public func records(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> [Record] {
        var (records, position) = ([Record](), position)
        while records.count < count {
            let page: RecordPage
            do throws(JournalFailure) {
                page = try self.page(after: position, count: count - records.count)
            } catch {
                guard records.isEmpty else { break }
                throw error
            }
            guard page.position > position else { break }
            records += page.records
            position = page.position
        }
        return records
    }
}
