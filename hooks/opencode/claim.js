// claim for opencode: before a tool writes, `claim hook` is asked whether another session is at work there.
//
// Installed by `claim install opencode`, or by hand: copy this file to ~/.config/opencode/plugins/ (every project) or to
// .opencode/plugins/ (one project). It needs nothing but `claim` on the PATH.

import { spawn, spawnSync } from "node:child_process"

// The tools that can write. Others are not asked about: a broken claim must stop writes, and nothing else.
const WRITERS = new Set(["write", "edit", "multiedit", "patch", "apply_patch", "bash"])

// Longer than claim ever waits for its lock; a hook that hangs is a hook that failed.
const TIMEOUT_MS = 15_000

export const ClaimPlugin = async ({ client, directory }) => {
  const parents = new Map() // session id -> its parent's id, or undefined
  const open = new Set() // root sessions whose end has not been passed on
  const notes = new Map() // session id -> what claim had to say at its start
  let told = Promise.resolve() // events that need no answer go one after another, so that none overtakes the end

  /** The session that a person sees. A sub-agent has a session of its own, and shares its root's claims. */
  async function rootOf(id) {
    const path = []
    for (let current = id; !path.includes(current); ) {
      path.push(current)
      if (!parents.has(current)) {
        // Not created in this process (a resumed session), or its event is still under way: ask opencode.
        const answer = await client.session.get({ path: { id: current } }).catch(() => undefined)
        // Without an answer it stands for itself, which can refuse too much but never too little. Not remembered.
        if (!answer?.data) return current
        parents.set(current, answer.data.parentID)
      }
      const parent = parents.get(current)
      if (!parent) return current
      current = parent
    }
    return id
  }

  async function envelope(name, id) {
    const root = await rootOf(id)
    const event = { hook_event_name: name, session_id: id, root_session_id: root, cwd: directory }
    const parent = parents.get(id)
    return parent ? { ...event, parent_session_id: parent } : event
  }

  function tell(name, id) {
    const pass = async () => {
      const { status, stdout } = await ask(await envelope(name, id), directory)
      if (name === "session.created" && status === 0 && stdout.trim()) notes.set(id, stdout.trim())
    }
    told = told.then(pass).catch(() => {}) // one that fails must not stop those after it
    return told
  }

  /** Passes on that sessions ended, at once: when the process exits, nothing asynchronous runs any more. */
  function ended(ids, reason) {
    for (const id of ids) {
      if (!open.delete(id)) continue
      const event = { hook_event_name: "session.deleted", session_id: id, root_session_id: id, cwd: directory, reason }
      try {
        spawnSync("claim", ["hook"], { cwd: directory, input: JSON.stringify(event), timeout: 5_000 })
      } catch {
        // Nobody is left to be told. What it held goes stale, and then anyone may take it.
      }
    }
  }
  process.on("exit", () => ended([...open], "exit"))

  return {
    async event({ event }) {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.id) {
        parents.set(info.id, info.parentID)
        if (info.parentID) return // a sub-agent is not a session of its own
        open.add(info.id)
        await tell("session.created", info.id)
      } else if (event.type === "session.idle" && event.properties?.sessionID) {
        await tell("session.idle", event.properties.sessionID)
      } else if (event.type === "session.deleted" && info?.id) {
        await told
        ended([info.id], "deleted")
      }
    },

    // What claim says at a session's start (who else is at work here, what waits) belongs in the agent's context.
    async "experimental.chat.system.transform"(input, output) {
      await told
      const note = input.sessionID && notes.get(await rootOf(input.sessionID))
      if (note) output.system.push(note)
    },

    async "tool.execute.before"(input, output) {
      if (!WRITERS.has(input.tool)) return
      const event = await envelope("tool.execute.before", input.sessionID)
      open.add(event.root_session_id)
      const verdict = await ask({ ...event, tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID }, directory)
      const reason = refusal(verdict)
      if (reason) throw new Error(reason)
    },

    // What the agent types in its shell tool (`claim beat`, `claim release`) must speak for the same holder as the hook.
    async "shell.env"(input, output) {
      if (input.sessionID) output.env.CLAIM_HOLDER = `opencode:${await rootOf(input.sessionID)}`
    },

    async dispose() {
      await told
      ended([...open], "exit")
    },
  }
}

/** Runs `claim hook` with one event on its stdin. Never rejects: a failure is part of the answer. */
function ask(event, cwd) {
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" }
    let child
    const answer = (status, problem) => {
      clearTimeout(timer)
      resolve({ status, problem, ...said })
    }
    // Not spawn's own time limit: where the program is missing, that one keeps the process alive until it runs out.
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      answer(null, `no answer within ${TIMEOUT_MS / 1000} s`)
    }, TIMEOUT_MS)
    try {
      // cwd is where the session belongs: claim takes the home tree from it.
      child = spawn("claim", ["hook"], { cwd })
    } catch (error) {
      return answer(null, String(error))
    }
    child.on("error", (error) => answer(null, error.message))
    child.on("close", (status, signal) => answer(status, signal ? `ended by ${signal}` : `status ${status}`))
    child.stdout.on("data", (chunk) => (said.stdout += chunk))
    child.stderr.on("data", (chunk) => (said.stderr += chunk))
    child.stdin.on("error", () => {}); // claim may answer without having read everything
    child.stdin.end(JSON.stringify(event))
  })
}

/** Why the write must not happen, or undefined. Only exit 0 allows; exit 2 is claim's own refusal. */
function refusal({ status, stderr, problem }) {
  if (status === 0) return undefined
  const said = stderr.trim()
  if (status === 2 && said) return said
  return [said, `claim: the hook failed (${problem}), so this write was stopped; see: claim doctor`].filter(Boolean).join("\n")
}
