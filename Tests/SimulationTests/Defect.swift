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
    /// The store charges what it asks now, whatever was shown.
    case storeChargesItsOwnPrice
    /// The store gives each order the answer of the one before.
    case answersAreMixedUp
    /// The store does not tell of purchases.
    case purchasesAreHidden
    /// A restart finds no ends of restores.
    case endsAreLost
    /// A restart finds nothing that was taken back.
    case revocationsAreLost
    /// A restart finds no answers to questions.
    case answersAreLost
    /// A restart finds the policy of a new queue.
    case policyIsLost
    /// A restart finds no named observers.
    case namesAreLost
    /// Readers get what belongs to an account that is not in session.
    case strangersAreShown
    /// Payment agents are taken for ordinary observers.
    case agentsAreIgnored
    /// Every agent is asked at once.
    case agentsAreAskedTogether
    /// Who was overtaken by trimming is not told of the gap.
    case gapIsSilent
    /// Renewals carry no token.
    case renewalsForgetTokens
    /// Answers to orders name a token that nobody sent.
    case answersNameAnotherToken
    /// The store charges something else than it should, and says so everywhere.
    case storeChargesMore
    /// Answers to orders name another price than was charged.
    case answersNameAnotherPrice
    /// The store does not tell what was taken back.
    case refundsAreKeptSecret
    /// A purchase does not say that the refund of its order was announced before it.
    case marksAreForgotten
    /// The history shows what was taken back as if it were not.
    case historyForgetsRefunds
    /// A due renewal that is paid by buying again is of the country and at the price of the buyer.
    case duesAreOfTheBuyer
    /// A change of subscription that another purchase replaces stays as if it were to come.
    case plansAreForgotten
    /// The store offers introductory prices again and again.
    case introductionsAreForgotten
}
