/** Hooks, attachments, money and verdicts of a replay, as they are recorded. */
import type { AttachmentPort, OuterGuard } from '../../loop/deps.ts';
import type { Ledger } from '../../protocol/ports.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import {
  type HookEvent,
  type HookPort,
  type HookVerdict,
  NO_HOOK_VERDICT,
} from '../../protocol/tools/hook.ts';
import type { Cursor } from '../cursor.ts';
import type { RecordedIteration } from '../recorded.ts';

export function hooksPort(cursor: Cursor): HookPort {
  return {
    has: (event) => hasHooks(cursor, event),
    async run({ event }) {
      if (!hasHooks(cursor, event as HookEvent)) return NO_HOOK_VERDICT;
      const { now } = cursor;
      if (now === undefined) return NO_HOOK_VERDICT;
      const answered = now.told.hooks?.[cursor.hooks++];
      // Whatever else an abort could have interrupted is over.
      if (cursor.attempts >= now.attempts.length && (event === 'Stop' || event === 'SubagentStop'))
        cursor.abort();
      return answered?.verdict ?? derivedVerdict(now, event as HookEvent);
    },
  };
}

function hasHooks({ run, now }: Cursor, event: HookEvent): boolean {
  if (now?.told.hooks?.some((answered) => answered.event === event) === true) return true;
  if (run.facts !== undefined) return run.facts.hooks?.includes(event) === true;
  if (event !== 'Stop' && event !== 'SubagentStop') return false;
  // The rule reads the answer for the hooks alone.
  const read = now?.record?.rules.find(({ name }) => name === 'stop_hooks')?.read;
  return read !== undefined && 'messages' in read;
}

/** Texts of the context that hooks gave. */
const textsOf = (content: unknown): readonly string[] =>
  Array.isArray(content) ? content.filter((text) => typeof text === 'string') : [];

const FEEDBACK = /^Stop hook feedback:\n/;
const ENDED = / ended the run: ([\s\S]*)$/;

function derivedVerdict({ record, written }: RecordedIteration, event: HookEvent): HookVerdict {
  const blockingErrors: string[] = [];
  const additionalContext: string[] = [];
  for (const entry of written) {
    if (entry.type === 'user' && entry.kind === 'hook_feedback') {
      const [part] = typeof entry.message.content === 'string' ? [] : entry.message.content;
      if (part?.type === 'text') blockingErrors.push(part.text.replace(FEEDBACK, ''));
    }
    if (
      entry.type === 'attachment' &&
      entry.attachment.type === 'hook_context' &&
      entry.attachment.event === event
    )
      additionalContext.push(...textsOf('content' in entry.attachment ? entry.attachment.content : []));
  }
  const { decision } = record ?? {};
  const isPrevented = decision?.kind === 'stop' && decision.terminal === 'stop_hook_prevented';
  return {
    blockingErrors,
    additionalContext,
    ...(isPrevented && {
      preventContinuation: { stopReason: ENDED.exec(decision.sentence)?.[1] ?? 'a hook' },
    }),
  };
}

export function attachmentsPort(cursor: Cursor): AttachmentPort {
  return {
    collect() {
      const { now } = cursor;
      const thrown = now?.record?.rules.at(-1);
      if (thrown?.name === 'unexpected_error' && thrown.verdict === 'stop')
        throw new Error('The error of the record.');
      // The last that an abort can have interrupted, where calls were made.
      cursor.abort();
      return now?.attachments ?? [];
    },
    acknowledge: () => cursor.now?.consumed ?? [],
  };
}

export function ledger(cursor: Cursor): Ledger {
  return {
    settle({ effectKey }) {
      const number = Number(effectKey.split('/').at(-2));
      const attempt = cursor.now?.attempts.find((each) => each.number === number);
      return attempt?.response?.costUsd ?? 0;
    },
    totalCostUsd: () => cursor.now?.record?.budgets.costUsd ?? 0,
  };
}

/** Verdicts that end a run from outside of the rules. */
export function outerGuard(cursor: Cursor): OuterGuard {
  return {
    verdict(): Terminal | undefined {
      const { now } = cursor;
      const { decision, rules = [], budgets } = now?.record ?? {};
      if (decision?.kind !== 'stop' || rules.some(({ verdict }) => verdict !== 'pass')) return undefined;
      const { terminal } = decision;
      if (terminal !== 'budget_exhausted' && terminal !== 'structured_output_retry_exhausted')
        return undefined;
      const isDue = terminal === 'budget_exhausted' ? isAnswered(cursor, now) : cursor.answered;
      if (!isDue) return undefined;
      return { reason: terminal, turnCount: budgets?.turnCount ?? 1 };
    },
    structuredOutput() {
      const rule = cursor.now?.record?.rules.find(({ name }) => name === 'stop_hooks');
      return { accepted: rule?.read?.['structuredOutputOwed'] !== true };
    },
  };
}

function isAnswered(cursor: Cursor, now: RecordedIteration | undefined): boolean {
  if (cursor.answered || now === undefined) return cursor.answered;
  // The money did not suffice for a request: the loop says so first.
  if (now.attempts.length === 0) return cursor.wrote >= now.written.length;
  return now.attempts.every(({ blocks, response }) => blocks.length === 0 && response === undefined);
}
