/** What the engine makes of the loop's messages: the consumer's, the notices between them, and the verdict on its budgets. */
import type { OuterGuard } from '../loop/deps.ts';
import { afterCompactions } from '../loop/task-budget.ts';
import type { LoopMessage, ProgressMessage, Said, SystemMessage } from '../protocol/messages.ts';
import type { SDKMessage } from '../protocol/sdk-messages.ts';
import type { Terminal } from '../protocol/terminal.ts';
import type { Writable } from '../util/writable.ts';
import { createGuard } from './budgets.ts';
import { capUse } from './cap-warnings.ts';
import { tellTaken } from './deliveries.ts';
import type { EngineParts } from './parts.ts';
import type { Outcome } from './result.ts';
import type { Submission } from './submission.ts';
import type { SdkMapper } from './to-sdk-message.ts';

export interface LoopWatch {
  /** The iteration it is in. */
  readonly turnCount: number;
  readonly guard: OuterGuard;
  /** Set once a budget is used up: nothing more is handed on. */
  readonly verdict: Terminal | undefined;
  /** What the consumer is shown of it. */
  take(said: Said): SDKMessage[];
  /** The consumer has what `take` gave. */
  handedOn(): void;
}

export function createLoopWatch(
  mapper: SdkMapper,
  outcome: Outcome,
  submission: Submission,
  parts: EngineParts,
): LoopWatch {
  const { config, structured, memory, notices } = parts;
  let turns = 1;
  let told: ProgressMessage['data'][] = [];
  const guard = createGuard({
    ledger: parts.ledger,
    maxBudgetUsd: config.maxBudgetUsd,
    unaffordable: () => memory.unaffordable,
    structured,
    turnCount: () => watch.turnCount,
  });

  function takeOne(message: LoopMessage): SDKMessage[] {
    if (message.type === 'stream_request_start') {
      watch.turnCount = message.iteration;
      turns = message.turnCount;
    }
    submission.times.see(message);
    outcome.observe(message);
    structured?.observe(message);
    if (message.type === 'system') atBoundary(message, parts);
    if (message.type === 'progress') told.push(message.data);
    if (message.type !== 'stream_events')
      for (const near of memory.capWarnings.take(capUse(turns, parts))) notices.say(near);
    const shown = mapper.map(message);
    for (let notice = notices.take(); notice !== undefined; notice = notices.take()) shown.push(notice);
    // After every message, shown or not: usage is known with the events that end a response (L9).
    watch.verdict = guard.verdict();
    return shown;
  }

  const watch: Writable<LoopWatch> = {
    turnCount: 1,
    guard,
    verdict: undefined,
    take(said) {
      if ('type' in said) return takeOne(said);
      const shown: SDKMessage[] = [];
      // An answer costs money when it ends: what it said before that is shown, whatever read it came with.
      const end = said.findLastIndex(endsAnswer);
      for (let at = 0; at < said.length && (watch.verdict === undefined || at <= end); at++)
        for (const each of takeOne(said[at] as LoopMessage)) shown.push(each);
      return shown;
    },
    handedOn() {
      if (told.length === 0) return;
      for (const data of told) tellTaken(data);
      told = [];
    },
  };
  return watch;
}

function endsAnswer(message: LoopMessage): boolean {
  if (message.type !== 'stream_events') return false;
  const last = message.events.at(-1)?.type;
  return last === 'message_stop' || last === 'message_delta';
}

/** A compaction lowers the task's budget; a snip is reported to the host. */
export function atBoundary(message: SystemMessage, parts: EngineParts): void {
  const { config, memory, journal } = parts;
  if (message.subtype === 'compact_boundary')
    memory.taskRemaining = afterCompactions(memory.taskRemaining ?? config.taskBudget?.total, [
      message.compact_metadata,
    ]);
  if (message.subtype === 'snip_boundary') config.snipReplay?.(message, journal.view.messages.slice());
}
