/**
 * Notices a call that is made again and again with the same result while nothing else changes (F150): first the model
 * is told, then the call is refused. A result that differs, or another call that changes something, is progress.
 */
import { createHash } from 'node:crypto';
import type { RepeatGuard } from '../protocol/gate.ts';
import type { ToolOutput } from '../protocol/tool.ts';

export interface RepeatGuardOptions {
  /** The model is told beside the so-manieth same result, and beside each one after it. Default 5. */
  readonly nudgeAt?: number | undefined;
  /** From the so-manieth on the call does not run. Default 15. */
  readonly refuseAt?: number | undefined;
}

const NUDGE_AT = 5;
const REFUSE_AT = 15;

interface Repeated {
  readonly result: string;
  readonly times: number;
}

export function createRepeatGuard(options: RepeatGuardOptions = {}): RepeatGuard {
  const nudgeAt = options.nudgeAt ?? NUDGE_AT;
  const refuseAt = options.refuseAt ?? REFUSE_AT;
  const seen = new Map<string, Repeated>();

  return {
    refusal(tool, input) {
      const times = seen.get(keyOf(tool, input))?.times ?? 0;
      if (times + 1 < refuseAt) return undefined;
      return `This same call was made ${times} times with the same result, and nothing else has changed since. It was not run again: do something else, or say what keeps you from going on.`;
    },
    note(tool, input, output, changesNothing) {
      const key = keyOf(tool, input);
      const result = signOf(output);
      const before = seen.get(key);
      const times = before?.result === result ? before.times + 1 : 1;
      if (!changesNothing) seen.clear();
      seen.set(key, { result, times });
      if (times < nudgeAt) return undefined;
      return `${tool} was called ${times} times with this same input and gave the same result each time. If that is no deliberate wait, try another way.`;
    },
  };
}

const keyOf = (tool: string, input: unknown): string => `${tool} ${signed(JSON.stringify(input) ?? '')}`;

/** Longer texts are kept as a digest: what was read a hundred times must not stay in memory a hundred times. */
const KEPT_WHOLE = 256;

function signed(text: string): string {
  return text.length <= KEPT_WHOLE ? text : createHash('sha256').update(text).digest('base64');
}

function signOf({ content }: ToolOutput): string {
  if (typeof content === 'string') return signed(content);
  return content
    .map((block) => (block.type === 'text' ? `text ${signed(block.text)}` : signed(JSON.stringify(block))))
    .join('\n');
}
