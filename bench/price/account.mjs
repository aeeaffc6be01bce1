// What a session cost: the rehearsal server is the scripted Messages API, and its account is that of the vendor's
// prompt cache. A request is an avoidable break if it goes on from an answer and reads less of the cache than that
// answer had left there, and nothing that a person did owns the difference.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULE_NAMES, requestTokens, startRehearsal } from 'turnwright/rehearsal';

/** Of a token, in units of uncached input. */
const PRICE = { input: 1, output: 5, read: 0.1, written5m: 1.25, written1h: 2 };
/** Of a model, relative to the others: their list prices of input. */
const PRICE_OF = [[/fable|mythos/, 8], [/opus/, 5], [/sonnet/, 3], [/haiku/, 1]];
const priceOf = (model) => PRICE_OF.find(([name]) => name.test(model))?.[1] ?? 5;
const LIFE_MS = 300_000;
/** Losses up to this are none: ids and reminders of the last exchange. */
const TOLERATED = 1_000;

const SUMMARY = `<summary>${'The files were read one after the other; they are texts of forty lines. '.repeat(80)}</summary>`;

/** `strict`: requests that the API would refuse are refused. */
export async function startAccount(work, { strict = true, trace } = {}) {
  let passedMs = 0;
  const steps = work.sessions.flat().flatMap(({ answers }) => answers);
  const agents = new Map();
  let at = 0;
  const script = ({ kind, body, firstUserMessage, tools }) => {
    if (kind === 'compaction') return { blocks: [{ type: 'text', text: SUMMARY }] };
    if (kind === 'helper' || !tools.includes('Read')) return { blocks: [{ type: 'text', text: 'Fine.' }] };
    const task = /AGENT \d+:/.exec(firstUserMessage)?.[0];
    if (task === undefined || work.agent === undefined) return replyOf(steps[at++] ?? ['More.'], `m${at}`);
    const k = agents.get(task) ?? 0;
    agents.set(task, k + 1);
    return replyOf(work.agent[k] ?? ['More.'], `a${task.replace(/\D/g, '')}x${k}`);
  };
  const clock = clockWith(() => passedMs);
  const server = await startRehearsal({ scenario: script, clock, lenient: strict ? [] : RULE_NAMES });
  return {
    url: server.url,
    passMs(ms) {
      passedMs += ms;
    },
    figures() {
      const refused = server.requests.find(({ verdict }) => verdict.kind === 'rejected' || verdict.kind === 'unanswered');
      if (trace !== undefined) writeTrace(trace, server.requests);
      return { ...figuresOf(server.requests), left: steps.length - at, refused: refused?.verdict.message };
    },
    requests: server.requests,
    close: () => server.close(),
  };
}

function replyOf(step, id) {
  // Models think before they act; a run of calls that began without thinking would be another case.
  const thought = { type: 'thinking', thinking: `What was read says what comes next, which is step ${id}. `.repeat(3) };
  const blocks = step.map((block, at) =>
    typeof block === 'string'
      ? { type: 'text', text: `[${id}] ${block}` }
      : { type: 'tool_use', id: `toolu_${id}_${at}`, name: block[0], input: block[1] });
  return { blocks: [thought, ...blocks] };
}

const clockWith = (passedMs) => ({
  nowMs: () => Date.now() + passedMs(),
  monotonicMs: () => performance.now() + passedMs(),
  setTimer(ms, ring) {
    const timer = setTimeout(ring, ms);
    return { cancel: () => clearTimeout(timer) };
  },
});

export function figuresOf(requests) {
  const answered = requests.filter(({ verdict }) => verdict.kind === 'answered');
  const sum = { requests: answered.length, units: 0, input: 0, read: 0, written: 0, output: 0, breaks: [] };
  const main = priceOf(answered[0].body.model);
  for (const [at, request] of answered.entries()) {
    const share = priceOf(request.body.model) / main;
    const { usage } = request.verdict;
    const { ephemeral_5m_input_tokens: w5 = 0, ephemeral_1h_input_tokens: w1 = 0 } = usage.cache_creation ?? {};
    sum.input += usage.input_tokens;
    sum.read += usage.cache_read_input_tokens;
    sum.written += w5 + w1;
    sum.output += usage.output_tokens;
    sum.units +=
      share *
      (usage.input_tokens * PRICE.input +
        usage.output_tokens * PRICE.output +
        usage.cache_read_input_tokens * PRICE.read +
        w5 * PRICE.written5m +
        w1 * PRICE.written1h);
    const found = breakOf(answered, at);
    if (found !== undefined) sum.breaks.push(found);
  }
  const first = answered.find(({ body }) => (body.tools?.length ?? 0) > 0) ?? answered[0];
  return { ...sum, first: partsOf(first.body), avoidable: sum.breaks.filter(({ owner }) => owner === undefined) };
}

/** Tokens of the first request, by part. */
function partsOf(body) {
  const system = [body.system ?? []].flat().map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
  const tools = body.tools ?? [];
  const turns = (body.messages ?? []).map(({ role, content }, index) => ({ role, index, blocks: typeof content === 'string' ? [{ type: 'text', text: content }] : content }));
  const tokens = (part) => requestTokens({ tools: [], system: [], turns: [], ...part });
  return { system: tokens({ system }), tools: tokens({ tools }), messages: tokens({ tools: tools.filter((tool) => tool.defer_loading), turns }) };
}

const cachedBy = ({ verdict: { usage } }) => usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
const markOf = (content) => /\[([ma]\d+[x\d]*)\]|toolu_([ma]\d+[x\d]*)_/.exec(JSON.stringify(content)) ?? [];
const lastMark = (body) => {
  const content = body.messages.findLast(({ role }) => role === 'assistant')?.content;
  const [, said, called] = content === undefined ? [] : markOf(content);
  return said ?? called;
};

/** What this request wrote again of what the request before it in its conversation had left in the cache. */
function breakOf(requests, at) {
  const request = requests[at];
  const mark = lastMark(request.body);
  if (mark === undefined) return undefined;
  const before = requests.slice(0, at).findLast(({ body, kind, reply }) => kind === 'main' && isAnsweredAs(requests, body, mark, reply));
  if (before === undefined) return undefined;
  const tokens = cachedBy(before) - request.verdict.usage.cache_read_input_tokens;
  if (tokens <= TOLERATED) return undefined;
  const between = requests.slice(requests.indexOf(before) + 1, at);
  const owner = before.body.model !== request.body.model
    ? 'model'
    : request.arrivedMs - before.arrivedMs > LIFE_MS
      ? 'expired'
      : between.some(({ kind }) => kind === 'compaction')
        ? 'compaction'
        : editOf(before.body, request.body);
  return { request: request.number, tokens, owner, changed: changeOf(before.body, request.body) };
}

/** An edit of the context that the window asked for. */
function editOf(before, now) {
  const edits = ({ context_management: asked }) => JSON.stringify(asked?.edits ?? []);
  if (edits(before) !== edits(now)) return 'cleared';
  return JSON.stringify(now.messages).includes('condensed to make room') && !JSON.stringify(before.messages).includes('condensed to make room') ? 'collapse' : undefined;
}

/** The answer with mark `mN` is that to the request whose last mark is the one before it. */
function isAnsweredAs(_requests, body, mark) {
  const last = lastMark(body);
  const [, letter, rest] = /^([ma])(.*)$/.exec(mark);
  if (letter === 'm') return (last === undefined && rest === '1') || last === `m${Number(rest) - 1}`;
  const [task, k] = rest.split('x').map(Number);
  return k === 0 ? last === undefined && JSON.stringify(body.messages[0]).includes(`AGENT ${task}:`) : last === `a${task}x${k - 1}`;
}

/** The first part that differs, in words. */
function changeOf(before, now) {
  const bare = (value) => JSON.stringify(value, (key, inner) => (key === 'cache_control' ? undefined : inner));
  const eager = ({ tools = [] }) => tools.filter((tool) => !tool.defer_loading);
  if (bare(eager(before)) !== bare(eager(now))) return `tools (${eager(before).length} → ${eager(now).length})`;
  const defers = ({ tools = [] }) => tools.some((tool) => tool.defer_loading);
  if (defers(before) !== defers(now)) return 'the first deferred tool';
  if (bare(before.system) !== bare(now.system)) return 'system';
  if (bare([before.thinking, before.output_config, before.tool_choice]) !== bare([now.thinking, now.output_config, now.tool_choice])) return 'settings';
  const at = before.messages.findIndex((message, index) => bare(message) !== bare(now.messages[index]));
  if (at < 0) return 'nothing';
  const text = bare(before.messages[at]);
  const other = bare(now.messages[at]) ?? '';
  const from = [...text].findIndex((char, index) => char !== other[index]);
  return `message ${at} of ${before.messages.length} at ${from}: …${text.slice(from, from + 80)}… → …${other.slice(from, from + 80)}…`;
}

function writeTrace(folder, requests) {
  mkdirSync(folder, { recursive: true });
  for (const { number, kind, path, headers, body, verdict } of requests)
    writeFileSync(join(folder, `${String(number).padStart(3, '0')}.json`), `${JSON.stringify({ kind, path, verdict, betas: headers['anthropic-beta'], body }, null, 1)}\n`);
}
