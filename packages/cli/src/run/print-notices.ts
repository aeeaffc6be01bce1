/** Notices of a printed run on stderr: servers whose tools are missing, retries, warnings, a silent model. */
import type { SDKMessage, SDKResultMessage } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
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
  const look = () => {
    const line = silence.due();
    if (line !== undefined) warn(`… ${line}; still waiting`);
  };
  const timer = course ? setInterval(look, LOOK_EVERY_MS) : undefined;
  timer?.unref();
  return {
    async show(message) {
      silence.observe(message);
      if (message.type === 'system') noticesOf(message, course).forEach(warn);
      await sink.show(message);
    },
    async end(result) {
      clearInterval(timer);
      await sink.end(result);
      if (denials && result !== undefined && result.permission_denials.length > 0)
        warn(denialNotice(result.permission_denials));
    },
  };
}

/** Maximum number of named tools. */
const NAMED = 5;

/** `3 calls were denied (2 Bash, 1 Write)`, and what to do about it. */
function denialNotice(denials: SDKResultMessage['permission_denials']): string {
  const counts = new Map<string, number>();
  for (const { tool_name } of denials) counts.set(tool_name, (counts.get(tool_name) ?? 0) + 1);
  const named = [...counts].slice(0, NAMED).map(([tool, count]) => `${count} ${visible(tool)}`);
  const which = [...named, ...(counts.size > NAMED ? ['…'] : [])].join(', ');
  const what = denials.length === 1 ? '1 call was' : `${denials.length} calls were`;
  return `${what} denied (${which}); no user can be asked in this run. See --allowedTools and --permission-mode.`;
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
