import PaymentCore
import SandboxControl

/// An enumeration whose raw values are words on the wire. The recorded contract lists them, so that
/// a test detects a renaming.
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
