// What the simulator answers, by kind of plan. Each takes (plan, k, response, context) for the k-th request of a
// session, and returns once everything is written. `context.offered` tells a tool's name as the runner offers it:
// engines prefix the names of in-process servers. `context.issue` notes a call whose result must come back.
import { once } from 'node:events';
import { answerText } from './history.mjs';
import { now } from './now.mjs';
import {
  done,
  end,
  inputDelta,
  start,
  stop,
  text,
  textDelta,
  textStart,
  toolStart,
  toolUse,
} from './replies.mjs';

const sleepUntil = (at) => new Promise((resolve) => setTimeout(resolve, Math.max(0, at - now())));

/** `turns` answers with one trivial call each, then the end; each after `latencyMs`. */
async function turns({ turns: count, latencyMs = 0 }, k, response, { offered, issue }) {
  if (latencyMs > 0) await sleepUntil(now() + latencyMs);
  if (k >= count) return response.end(done(k));
  response.end(start(k) + toolUse(0, issue(`toolu_${k}`), offered('noop'), { n: k }) + end('tool_use'));
}

/** Calls 300 ms apart, then a text tail. */
async function calls({ calls: names, tailMs }, k, response, { offered, issue, seen }) {
  if (k > 0) return response.end(done(k));
  const began = now();
  response.write(start(k));
  for (const [i, name] of names.entries()) {
    await sleepUntil(began + 300 * (i + 1));
    response.write(toolUse(i, issue(`toolu_${i}`), offered(name), { i }));
    seen.blocks.push(now());
  }
  await sleepUntil(began + 300 * names.length + tailMs);
  response.end((tailMs > 0 ? text(names.length, 'Waiting for tools.') : '') + end('tool_use'));
}

/** `deltas` pieces of text, 20 ms apart: their way to the consumer is timed. */
async function paced({ deltas }, k, response, { seen }) {
  response.write(start(k) + textStart(0));
  for (let i = 0; i < deltas; i++) {
    await sleepUntil(now() + 20);
    seen.blocks.push(now());
    response.write(textDelta(0, i === deltas - 1 ? 'Done.' : 'word '));
  }
  await sleepUntil(now() + 20);
  response.end(stop(0) + end('end_turn'));
}

async function flood(response, count, piece) {
  const batch = 500;
  for (let i = 0; i < count; i += batch) {
    if (!response.write(piece.repeat(Math.min(batch, count - i)))) await once(response, 'drain');
  }
}

/** `deltas` pieces of text as fast as they are read. */
async function deltas({ deltas: count }, k, response) {
  response.write(start(k) + textStart(0));
  await flood(response, count, textDelta(0, 'word '));
  response.end(stop(0) + end('end_turn'));
}

/** One call whose input comes in `deltas` pieces of 20 characters. */
async function longInput({ deltas: count }, k, response, { offered, issue }) {
  if (k > 0) return response.end(done(k));
  response.write(start(k) + toolStart(0, issue('toolu_0'), offered('take')) + inputDelta(0, '{"text":"'));
  await flood(response, count, inputDelta(0, 'twenty characters ok'));
  response.end(inputDelta(0, '"}') + stop(0) + end('tool_use'));
}

/** One call; its result is as large as the tool makes it. */
async function bigResult(_plan, k, response, { offered, issue }) {
  if (k > 0) return response.end(done(k));
  response.end(start(k) + toolUse(0, issue('toolu_0'), offered('big'), {}) + end('tool_use'));
}

/** A conversation without tools: what the history of a resumed session is made of. */
async function talk(_plan, k, response) {
  response.end(start(k) + text(0, answerText(k)) + end('end_turn'));
}

export const PLANS = { turns, calls, paced, deltas, longInput, bigResult, talk };
