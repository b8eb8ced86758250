// claim for pi: before a tool writes, `claim hook` is asked whether another session is at work there.
//
// Installed by `claim install pi`, or by hand: copy this file to ~/.pi/agent/extensions/ (every project) or to
// .pi/extensions/ (one project). It needs nothing but `claim` on the PATH, and imports no type of pi's, whose package has
// changed its name before.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

// The tools that can write. Others are not asked about: a broken claim must stop writes, and nothing else.
const WRITERS = new Set(["write", "edit", "bash"]);

// Longer than claim ever waits for its lock; a hook that hangs is a hook that failed.
const TIMEOUT_MS = 15_000;

interface Verdict {
  status: number | null;
  stdout: string;
  stderr: string;
  problem: string;
}

interface Context {
  cwd: string;
  sessionManager: { getSessionId(): string };
}

export default function claim(pi: { on(event: string, handler: (event: any, ctx: Context) => unknown): void }) {
  // pi may change its own directory; the session's home is where it was started.
  const home = process.cwd();

  const tell = (name: string, ctx: Context, more: object = {}): Promise<Verdict> =>
    ask({ hook_event_name: name, session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...more }, home);

  let note: string | undefined; // what claim had to say at the session's start
  let told: Promise<unknown> = Promise.resolve(); // pi does not wait for agent_end before it shuts down: this does

  // What the agent types in its shell tool (`claim beat`, `claim release`) must speak for the same holder as the hook.
  // Set before every call, since /new, /resume and /fork change the session within one process.
  const speakFor = (ctx: Context) => {
    process.env.CLAIM_HOLDER = `pi:${ctx.sessionManager.getSessionId()}`;
  };

  pi.on("session_start", async (event, ctx) => {
    speakFor(ctx);
    const verdict = await tell("session_start", ctx, { reason: event.reason });
    note = verdict.status === 0 ? verdict.stdout.trim() : undefined;
  });

  // Who else is at work here, and what waits, belongs in the agent's context: once, before its first turn.
  pi.on("before_agent_start", () => {
    const content = note;
    note = undefined;
    if (content) return { message: { customType: "claim", content, display: true } };
  });

  pi.on("tool_call", async (event, ctx) => {
    if (!WRITERS.has(event.toolName)) return;
    speakFor(ctx);
    const call = { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId };
    const reason = refusal(await tell("tool_call", ctx, call));
    if (reason) return { block: true, reason };
  });

  pi.on("agent_end", async (_event, ctx) => {
    await (told = tell("agent_end", ctx));
  });

  pi.on("session_shutdown", async (event, ctx) => {
    await told;
    // A reload of the extensions ends nothing: the same session goes on, with its claims.
    if (event.reason !== "reload") await tell("session_shutdown", ctx, { reason: event.reason });
  });
}

/** Runs `claim hook` with one event on its stdin. Never rejects: a failure is part of the answer. */
function ask(event: object, cwd: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" };
    let child: ChildProcessWithoutNullStreams | undefined;
    const answer = (status: number | null, problem: string) => {
      clearTimeout(timer);
      resolve({ status, problem, ...said });
    };
    // Not spawn's own time limit: where the program is missing, that one keeps the process alive until it runs out.
    const timer = setTimeout(() => {
      child?.kill("SIGKILL");
      answer(null, `no answer within ${TIMEOUT_MS / 1000} s`);
    }, TIMEOUT_MS);
    try {
      // cwd is where the session belongs: claim takes the home tree from it.
      child = spawn("claim", ["hook"], { cwd });
    } catch (error) {
      return answer(null, String(error));
    }
    child.on("error", (error) => answer(null, error.message));
    child.on("close", (status, signal) => answer(status, signal ? `ended by ${signal}` : `status ${status}`));
    child.stdout.on("data", (chunk) => (said.stdout += chunk));
    child.stderr.on("data", (chunk) => (said.stderr += chunk));
    child.stdin.on("error", () => {}); // claim may answer without having read everything
    child.stdin.end(JSON.stringify(event));
  });
}

/** Why the write must not happen, or undefined. Only exit 0 allows; exit 2 is claim's own refusal. */
function refusal({ status, stderr, problem }: Verdict): string | undefined {
  if (status === 0) return undefined;
  const said = stderr.trim();
  if (status === 2 && said) return said;
  return [said, `claim: the hook failed (${problem}), so this write was stopped; see: claim doctor`].filter(Boolean).join("\n");
}
