import PaymentCore
import SandboxControl

/// A type of which each value is one word on the wire: its raw value. The recorded contract lists the
/// words, so that a test fails where renaming a case would change a reply.
protocol WireWord: Sendable, CaseIterable, RawRepresentable<String> {}

extension Product.Kind: WireWord {}
extension SubscriptionPeriod.Unit: WireWord {}
extension TransactionState.Phase: WireWord {}
extension WaitingFor: WireWord {}
extension Transaction.Reason: WireWord {}
extension RemovalReason: WireWord {}
extension FinishDisposition: WireWord {}
extension PurchaseOffer: WireWord {}
extension StoreOrder.State: WireWord {}
extension PaymentFailure.Kind: WireWord {}
extension Question.Kind: WireWord {}
extension Question.Cause: WireWord {}
extension GatePolicy.Mode: WireWord {}
extension GatePolicy.AfterLogin: WireWord {}
extension SimulatedCall: WireWord {}
extension StoreFailure.Kind: WireWord {}
extension PriceIncreaseAnswer: WireWord {}
extension RestoreFailure: WireWord {}
extension EventKind: WireWord {}
