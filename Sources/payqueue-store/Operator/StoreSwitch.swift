import PaymentCore
import SandboxControl

/// A test setting that is on or off.
enum StoreSwitch: String, Sendable, CaseIterable {
    case askToBuy, interruptPurchases, failPurchases, failRenewals, gracePeriod, refusePayments
    case storeDown

    var label: String {
        switch self {
        case .askToBuy: "Ask for approval"
        case .interruptPurchases: "Interrupt purchases"
        case .failPurchases: "Fail purchases"
        case .failRenewals: "Fail renewals"
        case .gracePeriod: "Billing grace period"
        case .refusePayments: "Forbid payments"
        case .storeDown: "Simulate an outage"
        }
    }

    /// The behaviour of the store while it is on.
    var meaning: String {
        switch self {
        case .askToBuy: "New orders wait for an approval before they are charged."
        case .interruptPurchases: "New purchases fail until they are resolved."
        case .failPurchases: "New purchases fail."
        case .failRenewals: "Renewals cannot be paid; subscriptions enter billing retry."
        case .gracePeriod: "Subscriptions in billing retry are served for some more days."
        case .refusePayments: "No account may buy."
        case .storeDown: "The store answers no client."
        }
    }

    /// The behaviour of the store while it is off.
    var oppositeMeaning: String {
        switch self {
        case .askToBuy: "New orders are charged at once."
        case .interruptPurchases: "New purchases go through."
        case .failPurchases: "New purchases go through."
        case .failRenewals: "Renewals are paid."
        case .gracePeriod: "Subscriptions in billing retry are not served."
        case .refusePayments: "Accounts may buy as the catalogue says."
        case .storeDown: "The store answers."
        }
    }

    func isOn(in settings: StoreTestSettings) -> Bool {
        switch self {
        case .askToBuy: settings.askToBuyEnabled
        case .interruptPurchases: settings.interruptedPurchasesEnabled
        case .failPurchases: settings.failTransactionsEnabled
        case .failRenewals: settings.shouldEnterBillingRetryOnRenewal
        case .gracePeriod: settings.billingGracePeriodIsEnabled
        case .refusePayments: !settings.paymentsAllowed
        case .storeDown: settings.storeDown
        }
    }

    /// The change that turns it on or off.
    func change(to isOn: Bool) -> StoreTestSettingsChange {
        var change = StoreTestSettingsChange()
        switch self {
        case .askToBuy: change.askToBuyEnabled = isOn
        case .interruptPurchases: change.interruptedPurchasesEnabled = isOn
        case .failPurchases: change.failTransactionsEnabled = isOn
        case .failRenewals: change.shouldEnterBillingRetryOnRenewal = isOn
        case .gracePeriod: change.billingGracePeriodIsEnabled = isOn
        case .refusePayments: change.paymentsAllowed = !isOn
        case .storeDown: change.storeDown = isOn
        }
        return change
    }
}
