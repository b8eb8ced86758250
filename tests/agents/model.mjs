// A scripted model on loopback: it answers an agent CLI with the tool calls of a plan, and writes down what it was sent.
//
//   node model.mjs PLAN.json RECORD.jsonl PORT_FILE CLAIMS_DIR
//
// It speaks the Anthropic Messages API, the OpenAI Responses API and Gemini's generateContent, streaming or not: between
// them they reach every agent of the test. A plan is a list of steps:
//
//   {"write": "/path", "text": "..."}    a call of the agent's own write tool
//   {"shell": "command"}                 a call of its own shell tool
//   {"say": "..."}                       plain text: the turn ends
//
// and any step may have "before": a shell command run here just before the step is answered, which is how the test
// breaks the hook in the middle of a session. "${HOLDER}" in a command is the holder that the session was told.
//
// Which step is due is read from the conversation itself (the tool calls it already holds), never counted here: an agent
// that repeats a request, or asks for a title on the side, gets the same answer again and nothing is skipped.

import { createServer } from "node:http";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [planFile, recordFile, portFile, claimsDir] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, "utf8"));
const prepared = new Set();

// What the write and shell tools of each agent are called, and the shape of their input. The first tool that the
// request offers wins; a request that offers no write tool is not the agent's main conversation.
const WRITE_TOOLS = {
  Write: (path, text) => ({ file_path: path, content: text }),
  write_file: (path, text) => ({ file_path: path, content: text }),
  apply_patch: (path, text) => `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/^(?=.)/gm, "+")}*** End Patch\n`,
  write: (path, text, properties) => ("filePath" in properties ? { filePath: path, content: text } : { path, content: text }),
};
const SHELL_TOOLS = {
  Bash: (command) => ({ command, description: "A step of the plan" }),
  run_shell_command: (command) => ({ command, description: "A step of the plan" }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  bash: (command) => ({ command, description: "A step of the plan" }),
};

// One entry per protocol: how to recognise it, read the conversation from it, and answer in it.
const protocols = [
  {
    name: "anthropic",
    matches: (path) => /\/messages$/.test(path),
    streams: (_path, body) => body.stream === true,
    tools: (body) => (body.tools ?? []).map((t) => ({ name: t.name, properties: t.input_schema?.properties ?? {} })),
    exchange(body) {
      const calls = [];
      const results = new Map();
      for (const { role, content } of body.messages ?? []) {
        for (const block of Array.isArray(content) ? content : []) {
          if (role === "assistant" && block.type === "tool_use") calls.push(block.id);
          if (block.type === "tool_result") results.set(block.tool_use_id, flatten(block.content));
        }
      }
      return { count: calls.length, results: calls.map((id) => results.get(id) ?? "") };
    },
    answer(body, step, turn) {
      const call = turn.tool;
      const content = call
        ? { type: "tool_use", id: `toolu_step_${step}`, name: call.name, input: call.input }
        : { type: "text", text: turn.say };
      const message = {
        id: `msg_${step}_${Date.now()}`,
        type: "message",
        role: "assistant",
        model: body.model ?? "scripted",
        content: [content],
        stop_reason: call ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 10 },
      };
      const opening = call ? { ...content, input: {} } : { ...content, text: "" };
      const delta = call
        ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
        : { type: "text_delta", text: turn.say };
      const events = [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: opening },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage },
        { type: "message_stop" },
      ];
      return { message, events, named: true };
    },
  },
  {
    name: "responses",
    matches: (path) => /\/responses$/.test(path),
    streams: (_path, body) => body.stream === true,
    tools: (body) =>
      (body.tools ?? []).map((t) => ({ name: t.name, freeform: t.type === "custom", properties: t.parameters?.properties ?? {} })),
    exchange(body) {
      const calls = [];
      const results = new Map();
      for (const item of Array.isArray(body.input) ? body.input : []) {
        if (item.type === "function_call" || item.type === "custom_tool_call") calls.push(item.call_id);
        if (/_call_output$/.test(item.type ?? "")) results.set(item.call_id, flatten(item.output));
      }
      return { count: calls.length, results: calls.map((id) => results.get(id) ?? "") };
    },
    answer(body, step, turn) {
      const call = turn.tool;
      const id = `call_step_${step}`;
      let item = { type: "message", role: "assistant", id: `msg_${step}`, content: [{ type: "output_text", text: turn.say }] };
      if (call?.freeform) {
        item = { type: "custom_tool_call", id: `ctc_${step}`, call_id: id, name: call.name, input: call.input };
      } else if (call) {
        const input = typeof call.input === "string" ? { input: call.input } : call.input;
        item = { type: "function_call", id: `fc_${step}`, call_id: id, name: call.name, arguments: JSON.stringify(input) };
      }
      const usage = {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 20,
      };
      const message = { id: `resp_${step}`, object: "response", status: "completed", model: body.model, output: [item], usage };
      const events = [
        { type: "response.created", response: { ...message, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: message },
      ];
      return { message, events, named: true };
    },
  },
  {
    name: "gemini",
    matches: (path) => /:(streamG|g)enerateContent$/.test(path),
    streams: (path) => /:streamGenerateContent$/.test(path),
    tools: (body) =>
      (body.tools ?? [])
        .flatMap((t) => t.functionDeclarations ?? [])
        .map((t) => ({ name: t.name, properties: t.parametersJsonSchema?.properties ?? t.parameters?.properties ?? {} })),
    exchange(body) {
      // Gemini's calls carry no id that survives every version: the order stands in for it.
      const parts = (body.contents ?? []).flatMap((c) => c.parts ?? []);
      return {
        count: parts.filter((p) => p.functionCall).length,
        results: parts.filter((p) => p.functionResponse).map((p) => flatten(p.functionResponse.response)),
      };
    },
    answer(body, _step, turn) {
      // A request that wants JSON is the CLI asking who speaks next; any object keeps it content.
      const wantsJson = body.generationConfig?.responseMimeType === "application/json";
      const text = wantsJson ? JSON.stringify({ reasoning: turn.say, next_speaker: "user" }) : turn.say;
      const part = turn.tool ? { functionCall: { name: turn.tool.name, args: turn.tool.input } } : { text };
      const message = {
        candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
        modelVersion: "scripted",
      };
      return { message, events: [message], named: false };
    },
  },
];

/** The text in a tool result, whatever nesting the protocol gave it. */
function flatten(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(flatten).join("\n");
  if (typeof value === "object") return Object.values(value).map(flatten).join("\n");
  return String(value);
}

/** The claims at this moment, so that the test can see what was held while the session was alive. */
function claimsNow() {
  let names = [];
  try {
    names = readdirSync(claimsDir).filter((name) => name.endsWith(".json"));
  } catch {
    return []; // no claim was ever taken here
  }
  return names.map((name) => {
    try {
      return JSON.parse(readFileSync(join(claimsDir, name), "utf8"));
    } catch (error) {
      return { name, unreadable: String(error) };
    }
  });
}

/** What to answer: the plan's step as a call of a tool that this request offers, or text. */
function turnFor(step, tools, raw) {
  const entry = plan[step] ?? { say: "The plan is finished." };
  if (entry.before && !prepared.has(step)) {
    prepared.add(step);
    execFileSync("sh", ["-c", entry.before], { stdio: "inherit" });
  }
  const offered = (table) => tools.find((tool) => tool.name in table);
  if (entry.write) {
    const tool = offered(WRITE_TOOLS);
    return { tool: { ...tool, input: WRITE_TOOLS[tool.name](entry.write, entry.text, tool.properties) } };
  }
  if (entry.shell) {
    const tool = offered(SHELL_TOOLS);
    if (!tool) return { say: "This agent offers no shell tool." };
    const told = raw.match(/\b(?:claude|codex|gemini|opencode|pi):[0-9A-Za-z_-]{8,}/)?.[0] ?? "nobody";
    return { tool: { ...tool, input: SHELL_TOOLS[tool.name](entry.shell.replaceAll("${HOLDER}", told)) } };
  }
  return { say: entry.say };
}

function handle(request, response, raw) {
  const path = new URL(request.url, "http://loopback").pathname;
  const protocol = protocols.find((p) => request.method === "POST" && p.matches(path));
  const json = (status, value) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  if (!protocol) {
    record({ method: request.method, path });
    if (/countTokens$/.test(path)) return json(200, { totalTokens: 10 });
    if (/count_tokens$/.test(path)) return json(200, { input_tokens: 10 });
    return json(404, { error: { type: "not_found", message: `the scripted model has no ${path}` } });
  }
  const body = JSON.parse(raw);
  const tools = protocol.tools(body);
  const main = tools.some((tool) => tool.name in WRITE_TOOLS);
  const { count, results } = main ? protocol.exchange(body) : { count: -1, results: [] };
  record({ path, protocol: protocol.name, main, step: count, results, claims: claimsNow(), tools: tools.map((t) => t.name), body });
  const turn = main ? turnFor(count, tools, raw) : { say: "A side answer." };
  const { message, events, named } = protocol.answer(body, count, turn);
  if (!protocol.streams(path, body)) return json(200, message);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) {
    response.write(`${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function record(entry) {
  appendFileSync(recordFile, JSON.stringify({ at: new Date().toISOString(), ...entry }) + "\n");
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    try {
      handle(request, response, Buffer.concat(chunks).toString("utf8"));
    } catch (error) {
      // Written down rather than thrown: a dead server would look like a hanging agent.
      record({ path: request.url, error: String(error?.stack ?? error) });
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { type: "api_error", message: String(error) } }));
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  // Renamed into place, so that whoever waits for the file never reads half a number.
  writeFileSync(`${portFile}.new`, String(server.address().port));
  renameSync(`${portFile}.new`, portFile);
});
