//! What a host's configuration says about its hooks and its sandbox, for `claim doctor`. A text that cannot be read says
//! nothing here; that it cannot be read is told where the hook itself is looked for.

use super::{
    json::{self, Node, Shape},
    toml,
};

/// What a host lets its shell tool write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// Everything that its user may.
    Open,
    /// The session's own tree and these directories, spelled as the configuration does.
    Closed(Vec<String>),
}

/// The setting that switches off hooks that are there, as `key: value`.
#[must_use]
pub fn switched_off(host: &str, text: &str) -> Option<String> {
    let root = json::parse(text).ok()?;
    match host {
        "claude" | "copilot" if root.get("disableAllHooks").and_then(Node::flag) == Some(true) => {
            Some("disableAllHooks: true".to_owned())
        }
        "claude" if root.get("allowManagedHooksOnly").and_then(Node::flag) == Some(true) => {
            Some("allowManagedHooksOnly: true".to_owned())
        }
        "gemini" => {
            let settings = root.get("hooksConfig")?;
            if settings.get("enabled").and_then(Node::flag) == Some(false) {
                return Some("hooksConfig.enabled: false".to_owned());
            }
            let is_ours = |name: &str| name == "claim" || name.contains("claim hook");
            let mut disabled = settings.get("disabled")?.items().iter().filter_map(|item| item.value.text());
            disabled.any(is_ours).then(|| "hooksConfig.disabled lists claim".to_owned())
        }
        _ => None,
    }
}

/// The same for Codex's config.toml.
#[must_use]
pub fn switched_off_in_codex(text: &str) -> Option<String> {
    let off = |key: &str| toml::value(text, Some("features"), key) == Some("false");
    ["hooks", "codex_hooks"].into_iter().find(|key| off(key)).map(|key| format!("[features] {key} = false"))
}

/// What Codex's config.toml lets the shell tool write. Without a word in it the shell is in the sandbox.
#[must_use]
pub fn codex_sandbox(text: &str) -> Sandbox {
    let mode = toml::value(text, None, "sandbox_mode").unwrap_or_default();
    if mode.contains("danger-full-access") {
        return Sandbox::Open;
    }
    let roots = toml::value(text, Some("sandbox_workspace_write"), "writable_roots").map(toml::texts);
    Sandbox::Closed(roots.unwrap_or_default())
}

/// What settings in Claude Code's form let the shell tool write. `None` when they do not speak of a sandbox.
#[must_use]
pub fn settings_sandbox(text: &str) -> Option<Sandbox> {
    let root = json::parse(text).ok()?;
    let sandbox = root.get("sandbox")?;
    if sandbox.get("enabled").and_then(Node::flag) != Some(true) {
        return Some(Sandbox::Open);
    }
    let list = sandbox.get("filesystem").and_then(|filesystem| filesystem.get("allowWrite"));
    let texts = list.map(Node::items).unwrap_or_default().iter().filter_map(|item| item.value.text());
    Some(Sandbox::Closed(texts.map(str::to_owned).collect()))
}

/// Whether Claude Code's settings switch claim's plugin on, which brings the hook with it.
#[must_use]
pub fn claude_plugin(text: &str) -> bool {
    let Ok(root) = json::parse(text) else { return false };
    root.get("enabledPlugins").map(Node::items).unwrap_or_default().iter().any(|item| {
        item.key.as_deref().is_some_and(|key| key == "claim" || key.starts_with("claim@"))
            && item.value.shape == Shape::Scalar(true.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_that_is_off_is_named() {
        assert_eq!(switched_off("claude", r#"{"disableAllHooks": true}"#).unwrap(), "disableAllHooks: true");
        assert_eq!(switched_off("claude", r#"{"disableAllHooks": false}"#), None);
        assert_eq!(switched_off("codex", r#"{"disableAllHooks": true}"#), None);
        let gemini = |text: &str| switched_off("gemini", text);
        assert_eq!(gemini(r#"{"hooksConfig": {"enabled": false}}"#).unwrap(), "hooksConfig.enabled: false");
        assert!(gemini(r#"{"hooksConfig": {"disabled": ["claim"]}}"#).is_some());
        assert_eq!(gemini(r#"{"hooksConfig": {"disabled": ["other"]}}"#), None);
        assert_eq!(switched_off_in_codex("[features]\nhooks = false\n").unwrap(), "[features] hooks = false");
        assert_eq!(switched_off_in_codex("[features]\nhooks = true\n"), None);
    }

    #[test]
    fn a_sandbox_says_what_it_opens() {
        assert_eq!(codex_sandbox(""), Sandbox::Closed(Vec::new()));
        assert_eq!(codex_sandbox("sandbox_mode = \"danger-full-access\"\n"), Sandbox::Open);
        let roots = "[sandbox_workspace_write]\nwritable_roots = [\"/place\"]\n";
        assert_eq!(codex_sandbox(roots), Sandbox::Closed(vec!["/place".to_owned()]));
        assert_eq!(settings_sandbox("{}"), None);
        assert_eq!(settings_sandbox(r#"{"sandbox": {"enabled": false}}"#), Some(Sandbox::Open));
        let closed = r#"{"sandbox": {"enabled": true, "filesystem": {"allowWrite": ["~/x"]}}}"#;
        assert_eq!(settings_sandbox(closed), Some(Sandbox::Closed(vec!["~/x".to_owned()])));
        assert!(claude_plugin(r#"{"enabledPlugins": {"claim@claim": true}}"#));
        assert!(!claude_plugin(r#"{"enabledPlugins": {"claim@claim": false, "x@claim": true}}"#));
    }
}
