public import ArgumentParser
public import PaymentAPI

// Option values from the contract. The parser refuses other values and suggests the nearest; shells
// complete them.

extension Transactions.StateFilter: ExpressibleByArgument {}

extension WaitForTransaction.Goal: ExpressibleByArgument {}
