// What a session cost: the rehearsal server is the scripted Messages API, and its account is that of the vendor's
// prompt cache.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULE_NAMES, requestTokens, startRehearsal } from 'turnwright/rehearsal';
import { breakOf } from './breaks.mjs';

/** Of a token, in units of uncached input. */
const PRICE = { input: 1, output: 5, read: 0.1, written5m: 1.25, written1h: 2 };
/** Of a model, relative to the others: their list prices of input. */
const PRICE_OF = [
  [/fable|mythos/, 8],
  [/opus/, 5],
  [/sonnet/, 3],
  [/haiku/, 1],
];
const priceOf = (model) => PRICE_OF.find(([name]) => name.test(model))?.[1] ?? 5;

const SUMMARY = `<summary>${'The files were read one after the other; they are texts of forty lines. '.repeat(80)}</summary>`;

/**
 * `strict`: requests that the API would refuse are refused. `call`: a call of the script as the client's tools take it.
 * `kindOf`: what a request is for, where the server cannot tell.
 */
export async function startAccount(work, { strict = true, trace, call = (given) => given, kindOf } = {}) {
  let passedMs = 0;
  const steps = work.sessions.flat().flatMap(({ answers }) => answers);
  const agents = new Map();
  let at = 0;
  const [reading] = call(['Read', {}]);
  const script = ({ kind, firstUserMessage, tools }) => {
    if (kind === 'compaction') return { blocks: [{ type: 'text', text: SUMMARY }] };
    if (kind === 'helper' || !tools.includes(reading)) return { blocks: [{ type: 'text', text: 'Fine.' }] };
    const task = /AGENT \d+:/.exec(firstUserMessage)?.[0];
    if (task === undefined || work.agent === undefined)
      return replyOf(steps[at++] ?? ['More.'], `m${at}`, call);
    const k = agents.get(task) ?? 0;
    agents.set(task, k + 1);
    return replyOf(work.agent[k] ?? ['More.'], `a${task.replace(/\D/g, '')}x${k}`, call);
  };
  const clock = clockWith(() => passedMs);
  const server = await startRehearsal({
    scenario: script,
    clock,
    ...(kindOf && { kindOf }),
    lenient: strict ? [] : RULE_NAMES,
  });
  return {
    url: server.url,
    passMs(ms) {
      passedMs += ms;
    },
    figures() {
      const refused = server.requests.find(
        ({ verdict }) => verdict.kind === 'rejected' || verdict.kind === 'unanswered',
      );
      if (trace !== undefined) writeTrace(trace, server.requests);
      return { ...figuresOf(server.requests), left: steps.length - at, refused: refused?.verdict.message };
    },
    requests: server.requests,
    close: () => server.close(),
  };
}

function replyOf(step, id, call) {
  // Models think before they act; a run of calls that began without thinking would be another case.
  const thought = {
    type: 'thinking',
    thinking: `What was read says what comes next, which is step ${id}. `.repeat(3),
  };
  const blocks = step.map((block, at) =>
    typeof block === 'string'
      ? { type: 'text', text: `[${id}] ${block}` }
      : { type: 'tool_use', id: `toolu_${id}_${at}`, ...named(call(block)) },
  );
  return { blocks: [thought, ...blocks] };
}

const named = ([name, input]) => ({ name, input });

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
    const { ephemeral_5m_input_tokens: w5 = 0, ephemeral_1h_input_tokens: w1 = 0 } =
      usage.cache_creation ?? {};
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
  return {
    ...sum,
    first: partsOf(first.body),
    avoidable: sum.breaks.filter(({ owner }) => owner === undefined),
  };
}

/** Tokens of the first request, by part. */
function partsOf(body) {
  const system = [body.system ?? []]
    .flat()
    .map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
  const tools = body.tools ?? [];
  const turns = (body.messages ?? []).map(({ role, content }, index) => ({
    role,
    index,
    blocks: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  }));
  const tokens = (part) => requestTokens({ tools: [], system: [], turns: [], ...part });
  return {
    system: tokens({ system }),
    tools: tokens({ tools }),
    messages: tokens({ tools: tools.filter((tool) => tool.defer_loading), turns }),
  };
}

function writeTrace(folder, requests) {
  mkdirSync(folder, { recursive: true });
  for (const { number, kind, path, headers, body, verdict } of requests)
    writeFileSync(
      join(folder, `${String(number).padStart(3, '0')}.json`),
      `${JSON.stringify({ kind, path, verdict, betas: headers['anthropic-beta'], body }, null, 1)}\n`,
    );
}
