public import ArgumentParser
public import PaymentAPI

// Words of the contract that options take: the parser refuses any other, with the nearest, and the
// shells complete them.

extension Transactions.StateFilter: ExpressibleByArgument {}

extension WaitForTransaction.Goal: ExpressibleByArgument {}
