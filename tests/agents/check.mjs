// Reads what the scripted model wrote down, and says what is wrong with it: one line per fault, nothing when all is well.
//
//   node check.mjs AGENT RECORD.jsonl AGENT_OUTPUT HELD_TREE FREE_TREE
//
// The steps are those of the plan in `run`: 0 a write and 1 a shell write into the held tree, 2 a write into the free tree,
// 3 what the session holds by its own account, 4 and 5 writes while `claim` is missing and while it is killed.

import { readFileSync } from "node:fs";

const [agent, recordFile, outputFile, held, free] = process.argv.slice(2);
const lines = readFileSync(recordFile, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const main = lines.filter((line) => line.main);
const last = main.reduce((best, line) => (best && best.step >= line.step ? best : line), undefined);
const result = (step) => last?.results[step] ?? "";

function expect(good, complaint, seen) {
  if (good) return;
  console.log(seen === undefined ? complaint : `${complaint}; it was: ${JSON.stringify(seen).slice(0, 400)}`);
}

for (const line of lines.filter((l) => l.error)) console.log(`the scripted model failed: ${line.error}`);
expect(last?.step >= 6, "the agent did not carry out the whole plan; steps done", last?.step ?? 0);

const refused = /REFUSED: .* is claimed by other-session \(heartbeat .* ago\)/;
expect(refused.test(result(0)), "the reason for refusing the write did not reach the model", result(0));
expect(refused.test(result(1)), "the reason for refusing the shell write did not reach the model", result(1));
expect(result(0).includes(held), "the refusal does not name the held tree", result(0));
// At the start of a line only: Claude Code puts the hook's whole command before what it printed.
expect(!/^claim: the hook failed/m.test(`${result(0)}\n${result(1)}`), "a plain refusal reads like a failure", result(0));

// The request that brought the result of step 2 was sent while the session was alive: its claims are what counts.
const during = main.find((line) => line.step === 3)?.claims ?? [];
const own = during.find((claim) => claim.target === free);
expect(own !== undefined, "the write into the free tree took no claim", during);
if (own) {
  const id = own.holder.startsWith(`${agent}:`) ? own.holder.slice(agent.length + 1) : "";
  expect(id.length >= 8, `the holder is not ${agent}:<session id>`, own.holder);
  expect(readFileSync(outputFile, "utf8").includes(id), "the holder's id is not the session id that the agent printed", own.holder);
}
expect(result(3).includes(free), "in the agent's shell, claim status --mine does not know the session's claim", result(3));

expect(/claim/.test(result(4)) && /failed/.test(result(4)), "with claim missing, the model was not told so", result(4));
expect(/claim/.test(result(5)) && /failed/.test(result(5)), "with claim killed, the model was not told so", result(5));
