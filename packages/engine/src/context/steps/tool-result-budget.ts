/** Step 2: results too large for the context are stored in a file and replaced by a preview. */

import { isSameText } from '@turnwright/base/text/text-blocks.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ContextPort, ContextStep, StepInput, StepOutcome } from '../../protocol/model/context.ts';
import type { UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { ToolResultBlock, ToolUseBlock, UserBlock } from '../../protocol/model/wire.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import {
  keptForm,
  PREVIEW_BYTES,
  resultPreview,
  resultText,
  type Spill,
  spilled,
  withPreview,
} from '../clearing/result-preview.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';

export interface ToolResultBudgetOptions {
  readonly spill: Spill;
  /** A tool's own limit in characters (`Tool.maxResultChars`); undefined: 30 000. */
  readonly maxResultChars?: (toolName: string) => number | undefined;
  /** For the results of one response together, in characters. Default 200 000. */
  readonly maxJointChars?: number;
}

const MAX_RESULT_CHARS = 30_000;
const MAX_JOINT_CHARS = 200_000;

interface Result {
  readonly message: UserMessage;
  readonly block: ToolResultBlock;
  readonly call: Pick<ToolUseBlock, 'name' | 'input'>;
  readonly text: string;
}

const pickLimit = (name: string, { maxResultChars }: ToolResultBudgetOptions): number =>
  toolFacts(name).limitsItself === true
    ? Number.POSITIVE_INFINITY
    : (maxResultChars?.(name) ?? MAX_RESULT_CHARS);

/**
 * A result above its tool's limit, before it is recorded: the text is stored in a file and replaced by the
 * preview, so that the journal never holds it. A result with more than text, or whose file cannot be written,
 * is recorded unchanged and left to the step.
 */
export function keepResult(options: ToolResultBudgetOptions): NonNullable<ContextPort['keepResult']> {
  return (message, toolName) => {
    const [block, ...more] = typeof message.message.content === 'string' ? [] : message.message.content;
    if (block?.type !== 'tool_result' || more.length > 0) return message;
    const text = resultText(block);
    if (text.length <= pickLimit(toolName, options)) return message;
    const { toolUseResult = block.content } = message;
    if (!isSameText(toolUseResult, block.content)) return message;
    const { shown, ...file } = keptForm(block, text);
    return spilled(options.spill, { toolUseId: block.tool_use_id, toolName, ...file }).then((full) => {
      if (full.kind === 'lost') return message;
      const previews = new Map([[block.tool_use_id, resultPreview(text, full, shown)]]);
      return withPreviews(message, previews) ?? message;
    });
  };
}

/** Looks at fresh results only: earlier decisions are in the view, and recorded per `tool_use_id`. */
export function toolResultBudget(options: ToolResultBudgetOptions): ContextStep {
  const jointLimit = options.maxJointChars ?? MAX_JOINT_CHARS;

  return {
    name: 'tool-result-budget',
    run(input) {
      const tooLarge = resultsPerResponse(input).flatMap(beyondLimits);
      if (tooLarge.length === 0) return { kind: 'skip', why: 'every new result is within its limit' };
      return () => replace(tooLarge, input.fresh, options.spill);
    },
  };

  function beyondLimits(results: readonly Result[]): readonly Result[] {
    const tooLarge = results.filter((result) => result.text.length > pickLimit(result.call.name, options));
    const others = results.filter((result) => !tooLarge.includes(result)).sort(largestFirstReadLast);
    let joint = others.reduce((sum, result) => sum + result.text.length, tooLarge.length * PREVIEW_BYTES);
    for (const result of others) {
      if (joint <= jointLimit) break;
      if (result.text.length <= PREVIEW_BYTES) continue;
      joint -= result.text.length - PREVIEW_BYTES;
      tooLarge.push(result);
    }
    return tooLarge;
  }
}

async function replace(
  tooLarge: readonly Result[],
  fresh: readonly ViewMessage[],
  spill: Spill,
): Promise<StepOutcome> {
  const previews = new Map<string, string>();
  for (const result of tooLarge) previews.set(result.block.tool_use_id, await buildPreview(result, spill));
  const edits: ViewEdit[] = [];
  let tokensFreed = 0;
  for (const message of fresh) {
    const item = withPreviews(message, previews);
    if (item === undefined) continue;
    edits.push({ kind: 'replace', uuid: message.uuid, item });
    tokensFreed += estimateMessage(message) - estimateMessage(item);
  }
  const ids = [...previews.keys()].join(', ');
  return { kind: 'edits', source: 'replacement', edits, why: `too large: ${ids}`, tokensFreed };
}

/** Results that become one user message of the request are judged together. */
function resultsPerResponse(input: StepInput): Result[][] {
  const groups: Result[][] = [];
  let group: Result[] = [];
  for (const message of input.fresh) {
    if (message.type === 'assistant') {
      if (group.length > 0) groups.push(group);
      group = [];
    }
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) {
      if (block.type !== 'tool_result') continue;
      group.push({ message, block, call: findCall(block.tool_use_id, input), text: resultText(block) });
    }
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** Searched from the end, where it nearly always is. */
function findCall(id: string, { view }: StepInput): Pick<ToolUseBlock, 'name' | 'input'> {
  for (let i = view.length - 1; i >= 0; i--) {
    const message = view.at(i);
    if (message?.type !== 'assistant') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_use' && block.id === id) return block;
  }
  return { name: '', input: {} };
}

function largestFirstReadLast(a: Result, b: Result): number {
  return Number(limitsItself(a)) - Number(limitsItself(b)) || b.text.length - a.text.length;
}

const limitsItself = ({ call }: Result): boolean => toolFacts(call.name).limitsItself === true;

async function buildPreview(result: Result, spill: Spill): Promise<string> {
  const { block, call, text } = result;
  const source = limitsItself(result) ? readSourcePath(call.input) : undefined;
  if (source !== undefined) return resultPreview(text, { kind: 'source', path: source });
  const { shown, ...file } = keptForm(block, text);
  const full = await spilled(spill, { toolUseId: block.tool_use_id, toolName: call.name, ...file });
  return resultPreview(text, full, shown);
}

function readSourcePath(input: JsonObject): string | undefined {
  return typeof input['file_path'] === 'string' ? input['file_path'] : undefined;
}

/** The structured output stays with the original, in the journal. */
function withPreviews(message: ViewMessage, previews: ReadonlyMap<string, string>): UserMessage | undefined {
  if (message.type !== 'user' || typeof message.message.content === 'string') return undefined;
  const { content } = message.message;
  if (!content.some((block) => block.type === 'tool_result' && previews.has(block.tool_use_id)))
    return undefined;
  const replaced = content.map((block): UserBlock => {
    const preview = block.type === 'tool_result' ? previews.get(block.tool_use_id) : undefined;
    return block.type === 'tool_result' && preview !== undefined ? withPreview(block, preview) : block;
  });
  const { toolUseResult: _, ...rest } = message;
  const item: UserMessage = { ...rest, message: { role: 'user', content: replaced } };
  return Object.freeze(item);
}
