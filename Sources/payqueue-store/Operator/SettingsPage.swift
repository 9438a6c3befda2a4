import PaymentCore
import SandboxControl

/// The test settings that are on or off.
struct SettingsPage {
    let settings: StoreTestSettings

    /// The content of the page.
    var content: HTML {
        let rows = StoreSwitch.allCases.map { setting -> [HTML?] in
            let isOn = setting.isOn(in: settings)
            return [
                "\(setting.label)",
                """
                <span class="state\(isOn ? " warn" : "")">\(isOn ? "on" : "off")</span>
                """,
                "\(isOn ? setting.meaning : setting.oppositeMeaning)",
                PageFrame.button(
                    OperatorAction(isOn ? .switchOff : .switchOn, .setting(setting)),
                    of: setting.label),
            ]
        }
        let table = PageTable(
            caption: "How the store behaves; orders that exist keep their fate",
            columns: [
                .init(name: "Setting"), .init(name: "State"), .init(name: "Effect"),
                .init(name: "Action", isWide: true),
            ], rows: rows)
        return table.html
    }
}
