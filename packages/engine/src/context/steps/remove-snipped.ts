/** Step 3: removes what was marked, calls always with their results (L10.1). */
import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { ContextStep, StepOutcome } from '../../protocol/model/context.ts';
import type {
  AssistantMessage,
  LoopMessage,
  UserMessage,
  ViewMessage,
} from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { SnipMarks } from '../clearing/snip-marks.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';
import { notice, type Stamp } from '../notices.ts';
import { findLastPrompt, toolResultIds } from '../rounds.ts';

/**
 * The freed tokens are subtracted from the estimate of later steps. The newest response is never divided: its
 * marks wait until another one follows, so the model reads the results that it has just requested.
 */
export function snip(marks: SnipMarks, stamp: Stamp): ContextStep {
  return {
    name: 'snip',
    run({ view, tokenFactor = 1 }) {
      marks.observe(view);
      if (marks.pending.size === 0) return { kind: 'skip', why: 'nothing is marked as dead weight' };
      const plan = planSnip(view.slice(), marks.pending);
      if (plan.edits.length > 0) return (output) => carryOut(plan, tokenFactor, output);
      forgetDone(plan);
      const why =
        plan.waiting.size > 0
          ? 'what is marked belongs to the newest answer and waits'
          : 'what was marked is not in the view any more';
      return { kind: 'skip', why };
    },
  };

  function forgetDone(plan: SnipPlan): void {
    marks.forget([...marks.pending].filter((id) => !plan.waiting.has(id)));
  }

  async function carryOut(
    plan: SnipPlan,
    tokenFactor: number,
    output: Output<LoopMessage>,
  ): Promise<StepOutcome> {
    const { edits, removed, tokensFreed } = plan;
    await output.emit([
      notice(stamp, {
        subtype: 'snip_boundary',
        removed_uuids: removed,
        tokens_freed: Math.round(tokensFreed * tokenFactor),
      }),
    ]);
    forgetDone(plan);
    const why = `${removed.length} messages were marked as dead weight`;
    return { kind: 'edits', source: 'snip', edits, why, tokensFreed };
  }
}

interface SnipPlan {
  readonly edits: readonly ViewEdit[];
  readonly removed: readonly string[];
  readonly tokensFreed: number;
  /** Marks that cannot be applied yet. */
  readonly waiting: ReadonlySet<string>;
}

function planSnip(messages: readonly ViewMessage[], marks: ReadonlySet<string>): SnipPlan {
  const { calls, uuids, waiting } = resolve(messages, marks);
  const left = new Map<string, ViewMessage | undefined>();
  for (const message of messages)
    left.set(message.uuid, uuids.has(message.uuid) ? undefined : without(message, calls));
  dropLoneThinking(messages, left);

  const removed: string[] = [];
  const edits: ViewEdit[] = [];
  let tokensFreed = 0;
  for (const message of messages) {
    const item = left.get(message.uuid);
    if (item === message) continue;
    tokensFreed += estimateMessage(message) - (item === undefined ? 0 : estimateMessage(item));
    if (item === undefined) removed.push(message.uuid);
    else edits.push({ kind: 'replace', uuid: message.uuid, item });
  }
  if (removed.length > 0) edits.push({ kind: 'remove', uuids: removed });
  return { edits, removed, tokensFreed, waiting };
}

/** Marks as whole calls, and as messages that belong to no call. */
function resolve(messages: readonly ViewMessage[], marks: ReadonlySet<string>) {
  const calls = new Set<string>();
  const uuids = new Set<string>();
  const waiting = new Set<string>();
  const newest = messages.findLast((message) => message.type === 'assistant')?.message.id;
  const newestCalls = new Set<string>();
  const prompt = findLastPrompt(messages);
  for (const message of messages) {
    const ids = callIds(message);
    const isNewest = message.type === 'assistant' && message.message.id === newest;
    if (isNewest) for (const id of ids) newestCalls.add(id);
    const marked = marks.has(message.uuid);
    for (const id of ids) {
      if (!marked && !marks.has(id)) continue;
      if (newestCalls.has(id)) waiting.add(marked ? message.uuid : id);
      else calls.add(id);
    }
    if (!marked || ids.length > 0 || message === prompt) continue;
    if (isNewest) waiting.add(message.uuid);
    else uuids.add(message.uuid);
  }
  return { calls, uuids, waiting };
}

function callIds(message: ViewMessage): string[] {
  if (message.type === 'attachment') return [];
  if (message.type === 'user') return toolResultIds(message);
  return message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** The message without these calls and results; undefined when nothing is left of it. */
function without(message: ViewMessage, calls: ReadonlySet<string>): ViewMessage | undefined {
  if (!callIds(message).some((id) => calls.has(id))) return message;
  if (message.type === 'assistant') {
    const content = message.message.content.filter(
      (block) => block.type !== 'tool_use' || !calls.has(block.id),
    );
    if (content.length === 0) return undefined;
    const item: AssistantMessage = { ...message, message: { ...message.message, content } };
    return Object.freeze(item);
  }
  if (message.type === 'attachment' || typeof message.message.content === 'string') return message;
  const content = message.message.content.filter(
    (block) => block.type !== 'tool_result' || !calls.has(block.tool_use_id),
  );
  if (content.length === 0) return undefined;
  const { toolUseResult: _, ...rest } = message;
  const item: UserMessage = { ...rest, message: { role: 'user', content } };
  return Object.freeze(item);
}

/** Thinking is kept as long as any later part of its response is, and removed with the last one. */
function dropLoneThinking(
  messages: readonly ViewMessage[],
  left: Map<string, ViewMessage | undefined>,
): void {
  const answers = new Map<string, AssistantMessage[]>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    const blocks = answers.get(message.message.id) ?? [];
    blocks.push(message);
    answers.set(message.message.id, blocks);
  }
  for (const blocks of answers.values()) {
    const cut = blocks.some((block) => left.get(block.uuid) !== block);
    if (!cut) continue;
    const says = blocks.some((block) => {
      const item = left.get(block.uuid);
      return item?.type === 'assistant' && item.message.content.some((part) => !isThinking(part.type));
    });
    for (const block of blocks) {
      if (!says) left.set(block.uuid, undefined);
      else if (block.message.content.every((part) => isThinking(part.type))) left.set(block.uuid, block);
    }
  }
}

function isThinking(type: string): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
