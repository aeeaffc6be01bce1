// Which requests wrote again what was cached, and who owns that. A request goes on from the answer of the model that is the
// last in it: it has lost what that answer's request had left in the cache and this one did not read. An owner is something
// that had to happen: another model, time, a summary, an edit that the window asked for. Without one it is an avoidable break.

const LIFE_MS = 300_000;
/** Tokens. Losses up to this are none: ids and reminders of the last exchange. */
const TOLERATED = 1_000;

const cachedBy = ({ verdict: { usage } }) =>
  usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
const markOf = (content) => /\[([ma]\d+[x\d]*)\]|toolu_([ma]\d+[x\d]*)_/.exec(JSON.stringify(content)) ?? [];
const lastMark = (body) => {
  const content = body.messages.findLast(({ role }) => role === 'assistant')?.content;
  const [, said, called] = content === undefined ? [] : markOf(content);
  return said ?? called;
};

/** What this request wrote again of what the request before it in its conversation had left in the cache. */
export function breakOf(requests, at) {
  const request = requests[at];
  const mark = lastMark(request.body);
  if (mark === undefined) return undefined;
  const before = requests
    .slice(0, at)
    .findLast(({ body, kind }) => kind === 'main' && isAnsweredAs(body, mark));
  if (before === undefined) return undefined;
  const tokens = cachedBy(before) - request.verdict.usage.cache_read_input_tokens;
  if (tokens <= TOLERATED) return undefined;
  const between = requests.slice(requests.indexOf(before) + 1, at);
  const owner =
    before.body.model !== request.body.model
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
  return JSON.stringify(now.messages).includes('condensed to make room') &&
    !JSON.stringify(before.messages).includes('condensed to make room')
    ? 'collapse'
    : undefined;
}

/** The answer with mark `mN` is that to the request whose last mark is the one before it. */
function isAnsweredAs(body, mark) {
  const last = lastMark(body);
  const [, letter, rest] = /^([ma])(.*)$/.exec(mark);
  if (letter === 'm') return (last === undefined && rest === '1') || last === `m${Number(rest) - 1}`;
  const [task, k] = rest.split('x').map(Number);
  return k === 0
    ? last === undefined && JSON.stringify(body.messages[0]).includes(`AGENT ${task}:`)
    : last === `a${task}x${k - 1}`;
}

/** The first part that differs, in words. */
function changeOf(before, now) {
  const bare = (value) =>
    JSON.stringify(value, (key, inner) => (key === 'cache_control' ? undefined : inner));
  const eager = ({ tools = [] }) => tools.filter((tool) => !tool.defer_loading);
  if (bare(eager(before)) !== bare(eager(now)))
    return `tools (${eager(before).length} → ${eager(now).length})`;
  const defers = ({ tools = [] }) => tools.some((tool) => tool.defer_loading);
  if (defers(before) !== defers(now)) return 'the first deferred tool';
  if (bare(before.system) !== bare(now.system)) return 'system';
  if (
    bare([before.thinking, before.output_config, before.tool_choice]) !==
    bare([now.thinking, now.output_config, now.tool_choice])
  )
    return 'settings';
  const at = before.messages.findIndex((message, index) => bare(message) !== bare(now.messages[index]));
  if (at < 0) return 'nothing';
  const text = bare(before.messages[at]);
  const other = bare(now.messages[at]) ?? '';
  const from = [...text].findIndex((char, index) => char !== other[index]);
  return `message ${at} of ${before.messages.length} at ${from}: …${text.slice(from, from + 80)}… → …${other.slice(from, from + 80)}…`;
}
