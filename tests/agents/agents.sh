# shellcheck shell=sh disable=SC2154
# How each agent is configured and started: sourced by `run`, which sets $home, $bin, $url and in_box.
#
# configure_AGENT writes the agent's own settings, start_AGENT PROMPT runs one session without a person. Approvals are
# off wherever the agent has a switch for it: a hook that only works while somebody watches is none. What the agent prints
# must name its session id, which the claims are compared with.

configure_claude() {
	mkdir -p "$home/.claude"
	echo '{"env": {"DISABLE_TELEMETRY": "1"}, "model": "sonnet"}' >"$home/.claude/settings.json"
}

start_claude() {
	# IS_SANDBOX: as root, as in a container, bypassPermissions is refused without it.
	in_box IS_SANDBOX=1 ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=none DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
		"$bin" -p "$1" --permission-mode bypassPermissions --output-format json
}

configure_codex() {
	mkdir -p "$home/.codex"
	cat >"$home/.codex/config.toml" <<-EOF
		model = "gpt-5.5"
		model_provider = "scripted"
		check_for_update_on_startup = false

		[analytics]
		enabled = false

		[model_providers.scripted]
		name = "scripted"
		base_url = "$url/v1"
		wire_api = "responses"
		env_key = "SCRIPTED_KEY"
	EOF
}

start_codex() {
	# Trusting the hook is a person's decision in Codex's /hooks; without the flag an untrusted hook is left out silently.
	in_box SCRIPTED_KEY=none "$bin" exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
		--dangerously-bypass-hook-trust "$1"
}

configure_gemini() {
	mkdir -p "$home/.gemini"
	cat >"$home/.gemini/settings.json" <<-EOF
		{
		  "security": {"auth": {"selectedType": "gemini-api-key"}},
		  "general": {"enableAutoUpdate": false},
		  "privacy": {"usageStatisticsEnabled": false},
		  "telemetry": {"enabled": false}
		}
	EOF
}

start_gemini() {
	# The free tree is made part of the workspace: outside of it Gemini's own write tool refuses everything.
	in_box GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="$url" GEMINI_CLI_TRUST_WORKSPACE=true \
		"$bin" --model gemini-2.5-flash --approval-mode yolo --include-directories "$free,$held" --output-format json --prompt "$1"
}

configure_opencode() {
	# opencode installs a library for plugins beside its settings, from the registry, unless this says that it is there.
	# claim's plugin does without, and the session is to need no network.
	mkdir -p "$home/.config/opencode/node_modules"
	echo '{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}' >"$home/.config/opencode/package-lock.json"
	cat >"$home/.config/opencode/opencode.json" <<-EOF
		{
		  "model": "scripted/plan",
		  "small_model": "scripted/plan",
		  "autoupdate": false,
		  "share": "disabled",
		  "permission": {"edit": "allow", "bash": "allow", "external_directory": "allow"},
		  "provider": {
		    "scripted": {
		      "npm": "@ai-sdk/anthropic",
		      "options": {"baseURL": "$url/v1", "apiKey": "none"},
		      "models": {"plan": {"name": "plan", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}
		    }
		  }
		}
	EOF
}

start_opencode() {
	in_box OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 \
		"$bin" run --format json "$1"
}

configure_pi() {
	mkdir -p "$home/.pi/agent"
	cat >"$home/.pi/agent/models.json" <<-EOF
		{"providers": {"scripted": {
		  "baseUrl": "$url", "api": "anthropic-messages", "apiKey": "none",
		  "models": [{"id": "plan", "name": "plan", "contextWindow": 200000, "maxTokens": 8000}]
		}}}
	EOF
}

start_pi() {
	in_box PI_OFFLINE=1 PI_SKIP_VERSION_CHECK=1 PI_TELEMETRY=0 "$bin" --provider scripted --model plan --mode json -p "$1"
}
