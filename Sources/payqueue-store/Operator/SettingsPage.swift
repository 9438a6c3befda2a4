import PaymentCore
import SandboxControl

/// The page of the test settings: switches and settings with values.
struct SettingsPage {
    let settings: StoreTestSettings

    var content: HTML { switches.html + values.html }

    private var switches: PageTable {
        let rows = StoreSwitch.allCases.map { setting -> [HTML?] in
            let isOn = setting.isOn(in: settings)
            return [
                "\(setting.label)", Self.state(isOn ? "on" : "off", warns: isOn),
                "\(isOn ? setting.meaning : setting.oppositeMeaning)",
                PageFrame.button(
                    OperatorAction(isOn ? .switchOff : .switchOn, .setting(setting)),
                    of: setting.label),
            ]
        }
        return PageTable(
            caption: "How the store behaves; existing orders are not affected",
            columns: [
                .init(name: "Setting"), .init(name: "State"), .init(name: "Effect"),
                .init(name: "Action", isWide: true),
            ], rows: rows)
    }

    private var values: PageTable {
        let rows = StoreValue.all(in: settings).map { value -> [HTML?] in
            let mark: HTML? = value.isUnusual ? " " + Self.state("changed", warns: true) : nil
            return [
                "\(Self.name(of: value))\(mark)", "\(value.meaning)", Self.form(value),
            ]
        }
        return PageTable(
            caption: "Time, delay and simulated errors",
            columns: [
                .init(name: "Setting"), .init(name: "Effect"),
                .init(name: "Action", isWide: true),
            ], rows: rows)
    }

    /// The name of a setting, with the unit of a number.
    private static func name(of value: StoreValue) -> String {
        value.choices.isEmpty ? "\(value.name), in ms" : value.name
    }

    private static func state(_ text: String, warns: Bool) -> HTML {
        "<span class=\"state\(warns ? " warn" : "")\">\(text)</span>"
    }

    /// The form that leads to the confirmation of a change.
    private static func form(_ value: StoreValue) -> HTML {
        let id = "value-\(value.setting)"
        let options: [HTML] = value.choices.map { choice in
            let isChosen: HTML = choice == value ? " selected" : ""
            return "<option value=\"\(choice.text)\"\(isChosen)>\(choice.label)</option>"
        }
        let field: HTML =
            options.isEmpty
            ? """
            <input id="\(id)" type="number" name="value" value="\(value.text)" min="0" \
            max="\(StoreValue.longestLatency)" step="1" required>
            """ : "<select id=\"\(id)\" name=\"value\">\(options)</select>"
        return """
            <form action="/confirm" class="actions">
            <input type="hidden" name="action" value="change">
            <input type="hidden" name="setting" value="\(value.setting)">
            <label class="unseen" for="\(id)">New value: \(name(of: value))</label>
            \(field)
            <button>Change<span class="unseen"> \(value.name)</span></button>
            </form>
            """
    }
}
