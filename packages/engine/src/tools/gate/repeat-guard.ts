/**
 * Detects a call that is repeated with the same result while nothing else changes (F150): the model is
 * notified, and, if configured, the call is finally refused. A result that differs, or another call that
 * changes something, is progress.
 */

import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { RepeatGuard } from '../../protocol/tools/gate-ports.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';

export interface RepeatGuardOptions {
  /** Number of equal results from which the model is notified, and again at each doubling. Default 10. */
  readonly nudgeAt?: number | undefined;
  /**
   * Number of equal results from which the call does not run. Default: it always runs, because polling looks
   * the same.
   */
  readonly refuseAt?: number | undefined;
}

const NUDGE_AT = 10;
/** Number of calls that are tracked. */
const MAX_SEEN = 100;

interface Repeated {
  readonly result: string;
  readonly times: number;
}

export function createRepeatGuard({ nudgeAt = NUDGE_AT, refuseAt }: RepeatGuardOptions = {}): RepeatGuard {
  const seen = new Map<string, Repeated>();

  const remember = (key: string, repeated: Repeated) => {
    seen.delete(key); // the latest last
    seen.set(key, repeated);
    const [oldest] = seen.keys();
    if (seen.size > MAX_SEEN && oldest !== undefined) seen.delete(oldest);
  };

  return {
    refusal(tool, input) {
      if (refuseAt === undefined) return undefined;
      const times = seen.get(toCallKey(tool, input))?.times ?? 0;
      if (times + 1 < refuseAt) return undefined;
      return `This same call was made ${times} times with the same result, and nothing else has changed since. It was not run again: do something else, or say what keeps you from going on.`;
    },
    note(tool, input, output, changesNothing) {
      const key = toCallKey(tool, input);
      const result = signOutput(output);
      const before = seen.get(key);
      const times = before?.result === result ? before.times + 1 : 1;
      if (!changesNothing) seen.clear();
      remember(key, { result, times });
      if (!isDue(times, nudgeAt)) return undefined;
      return `${tool} was called ${times} times with this same input and gave the same result each time. If that is no deliberate wait, try another way.`;
    },
  };
}

/** At this number, and at each doubling. */
const isDue = (times: number, from: number): boolean =>
  times >= from && Number.isInteger(Math.log2(times / from));

const toCallKey = (tool: string, input: unknown): string => `${tool} ${signed(JSON.stringify(input) ?? '')}`;

/** Longer texts are kept as a hash. */
const KEPT_WHOLE = 256;
/** For very long texts, length, beginning and end are enough. */
const LOOKED_AT = 256 * 1024;

function signed(text: string): string {
  if (text.length <= KEPT_WHOLE) return text;
  const looked =
    text.length <= 2 * LOOKED_AT
      ? text
      : `${text.length} ${text.slice(0, LOOKED_AT)}${text.slice(-LOOKED_AT)}`;
  return sha256(looked);
}

function signOutput({ content }: ToolOutput): string {
  if (typeof content === 'string') return signed(content);
  return content
    .map((block) => (block.type === 'text' ? `text ${signed(block.text)}` : signed(JSON.stringify(block))))
    .join('\n');
}
