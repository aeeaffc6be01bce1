/** Notices of a printed run on stderr: servers whose tools are missing, retries, warnings, a silent model. */
import type { SDKMessage, SDKResultMessage } from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { systemNote } from '../conversation/reduce/system-note.ts';
import { noteText } from '../conversation/view/transcript-item.ts';
import { lateServers, serverProblems } from '../words/server-problems.ts';
import { createModelSilence } from './model-silence.ts';
import type { Sink } from './print.ts';

const LOOK_EVERY_MS = 5_000;

interface PrintNotices {
  /** One line, without its end. */
  warn(line: string): void;
  /** Includes retries, warnings and a silent model. `stream-json` has them in its messages. */
  readonly course: boolean;
  /** Includes denied calls. `json` and `stream-json` list them in the result. */
  readonly denials: boolean;
  /** Monotonic ms. */
  nowMs(): number;
}

export function withNotices(sink: Sink, { warn, course, denials, nowMs }: PrintNotices): Sink {
  const silence = createModelSilence(nowMs);
  const causes = new Map<string, Cause>();
  const look = () => {
    const line = silence.due();
    if (line !== undefined) warn(`… ${line}; still waiting`);
  };
  const timer = course ? setInterval(look, LOOK_EVERY_MS) : undefined;
  timer?.unref();
  return {
    async show(message) {
      silence.observe(message);
      if (denials) noteCause(message, causes);
      if (message.type === 'system') noticesOf(message, course).forEach(warn);
      await sink.show(message);
    },
    async end(result) {
      clearInterval(timer);
      await sink.end(result);
      if (denials && result !== undefined) denialNotices(result.permission_denials, causes).forEach(warn);
    },
  };
}

/** Maximum number of named tools. */
const NAMED = 5;

/** Who denied a call, and with which words. */
interface Cause {
  readonly by: 'nobody' | 'a hook' | 'a rule' | 'the permission mode';
  readonly words: string;
}

/** `causes`: by the id of the call. */
function noteCause(message: SDKMessage, causes: Map<string, Cause>): void {
  if (message.type === 'system' && message.subtype === 'permission_denied') {
    const { tool_use_id: id, decision_reason_type: type, decision_reason: why, message: words } = message;
    // Without a reason nothing was to be asked: the rule or the mode had the last word.
    if (type === 'hook') causes.set(id, { by: 'a hook', words: why ?? '' });
    else if (why !== undefined) causes.set(id, { by: 'nobody', words: '' });
    else if (type === 'rule') causes.set(id, { by: 'a rule', words });
    else if (type === 'mode') causes.set(id, { by: 'the permission mode', words });
  }
  if (message.type !== 'user' || typeof message.message.content === 'string') return;
  for (const block of message.message.content) {
    if (block.type !== 'tool_result' || block.is_error !== true || typeof block.content !== 'string')
      continue;
    const hooked = /^PreToolUse:\S+ hook error: (.*)$/s.exec(block.content)?.[1];
    if (hooked !== undefined) causes.set(block.tool_use_id, { by: 'a hook', words: hooked });
  }
}

type Denials = SDKResultMessage['permission_denials'];

/** A line for each of those who denied calls. */
function denialNotices(denials: Denials, causes: ReadonlyMap<string, Cause>): readonly string[] {
  const groups = new Map<string, Denials[number][]>();
  for (const denial of denials) {
    const by = causes.get(denial.tool_use_id)?.by ?? 'nobody';
    groups.set(by, [...(groups.get(by) ?? []), denial]);
  }
  return [...groups].map(([by, group]) => {
    if (by === 'nobody')
      return `${countDenied(group)}; no user can be asked in this run. See --allowedTools and --permission-mode.`;
    const said = new Set(group.map(({ tool_use_id: id }) => oneLine(causes.get(id)?.words ?? '')));
    const words = [...said].filter((each) => each !== '').slice(0, NAMED);
    return `${countDenied(group)} by ${by}${words.length === 0 ? '.' : `: ${words.join(' ')}`}`;
  });
}

/** `3 calls were denied (2 Bash, 1 Write)` */
function countDenied(denials: Denials): string {
  const counts = new Map<string, number>();
  for (const { tool_name } of denials) counts.set(tool_name, (counts.get(tool_name) ?? 0) + 1);
  const named = [...counts].slice(0, NAMED).map(([tool, count]) => `${count} ${visible(tool)}`);
  const which = [...named, ...(counts.size > NAMED ? ['…'] : [])].join(', ');
  const what = denials.length === 1 ? '1 call was' : `${denials.length} calls were`;
  return `${what} denied (${which})`;
}

function noticesOf(
  message: Extract<SDKMessage, { readonly type: 'system' }>,
  course: boolean,
): readonly string[] {
  if (message.subtype === 'init') return [...serverProblems(message), ...lateServers(message)];
  const isNamed =
    message.subtype === 'api_retry' || (message.subtype === 'informational' && message.level === 'warning');
  const note = course && isNamed ? systemNote(message) : undefined;
  return note === undefined ? [] : [noteText(note)];
}
