/// Defects that are planted into everything around the engine, to prove that the checks find them.
enum Defect: String, CaseIterable, Sendable {
    /// Replies leave when they are made, not when they are durable.
    case repliesLeaveEarly
    /// Now and then a sync does nothing until the next one.
    case syncIsSkipped
    /// A restart finds everything but the last record.
    case lastRecordIsLost
    /// A restart finds no idempotency keys.
    case keysAreLost
    /// A restart finds no removals.
    case removalsAreLost
    /// Reading the log leaves a record out.
    case readingSkips
    /// Reading the log gives a record twice.
    case readingDoubles
    /// The store charges again when it is asked again.
    case storeChargesTwice
    /// The store forgets that goods were delivered.
    case completionsAreDropped
    /// A delivery does not arrive.
    case deliveryIsLost
    /// Redeliveries do not arrive.
    case redeliveryIsLost
    /// An order leaves although no record says so.
    case orderWithoutRecord
    /// Who only looks on is taken for an observer.
    case onlookersCount
}
