/** Step 2: results too large for the context are kept in a file and shown as a preview. */
import type { ContextStep, StepInput } from '../protocol/context.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserMessage, ViewMessage } from '../protocol/messages.ts';
import type { ViewEdit } from '../protocol/view.ts';
import type { ToolResultBlock, ToolUseBlock, UserBlock } from '../protocol/wire.ts';
import { type FullText, PREVIEW_BYTES, resultPreview } from './result-preview.ts';
import { estimateMessage } from './token-estimate.ts';

/** Writes a result to the session's `tool-results/` folder. Rejects when it cannot. */
export type Spill = (result: {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly text: string;
}) => Promise<{ readonly path: string }>;

export interface ToolResultBudgetOptions {
  readonly spill: Spill;
  /** A tool's own limit in characters (`Tool.maxResultChars`); undefined: 30 000. */
  readonly maxResultChars?: (toolName: string) => number | undefined;
  /** For the results of one response together, in characters. Default 200 000. */
  readonly maxJointChars?: number;
}

const MAX_RESULT_CHARS = 30_000;
const MAX_JOINT_CHARS = 200_000;
/** Bounds itself, and its source is a file already. */
const READ = 'Read';

interface Result {
  readonly message: UserMessage;
  readonly block: ToolResultBlock;
  readonly call: Pick<ToolUseBlock, 'name' | 'input'>;
  readonly text: string;
}

/** Looks at fresh results alone: what was decided once is in the view, and on record, per `tool_use_id`. */
export function toolResultBudget(options: ToolResultBudgetOptions): ContextStep {
  const limitOf = (name: string) =>
    name === READ ? Number.POSITIVE_INFINITY : (options.maxResultChars?.(name) ?? MAX_RESULT_CHARS);
  const jointLimit = options.maxJointChars ?? MAX_JOINT_CHARS;

  return {
    name: 'tool-result-budget',
    async *run(input) {
      const previews = new Map<string, string>();
      for (const results of resultsPerResponse(input)) {
        const tooLarge = results.filter((result) => result.text.length > limitOf(result.call.name));
        const others = results.filter((result) => !tooLarge.includes(result)).sort(largestFirstReadLast);
        let joint = others.reduce((sum, result) => sum + result.text.length, tooLarge.length * PREVIEW_BYTES);
        for (const result of others) {
          if (joint <= jointLimit) break;
          if (result.text.length <= PREVIEW_BYTES) continue;
          joint -= result.text.length - PREVIEW_BYTES;
          tooLarge.push(result);
        }
        for (const result of tooLarge) {
          previews.set(
            result.block.tool_use_id,
            resultPreview(result.text, await keep(result, options.spill)),
          );
        }
      }
      if (previews.size === 0) return { kind: 'skip', why: 'every new result is within its limit' };

      const edits: ViewEdit[] = [];
      let tokensFreed = 0;
      for (const message of input.fresh) {
        const item = withPreviews(message, previews);
        if (item === undefined) continue;
        edits.push({ kind: 'replace', uuid: message.uuid, item });
        tokensFreed += estimateMessage(message) - estimateMessage(item);
      }
      const ids = [...previews.keys()].join(', ');
      return { kind: 'edits', source: 'replacement', edits, why: `too large: ${ids}`, tokensFreed };
    },
  };
}

/** What becomes one user message of the request is judged together. */
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
      group.push({ message, block, call: findCall(block.tool_use_id, input), text: textOf(block) });
    }
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** From the end, where it nearly always is. */
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
  return Number(a.call.name === READ) - Number(b.call.name === READ) || b.text.length - a.text.length;
}

async function keep(result: Result, spill: Spill): Promise<FullText> {
  const source = result.call.name === READ ? sourceOf(result.call.input) : undefined;
  if (source !== undefined) return { kind: 'source', path: source };
  try {
    const { path } = await spill({
      toolUseId: result.block.tool_use_id,
      toolName: result.call.name,
      text: result.text,
    });
    return { kind: 'spilled', path };
  } catch (error) {
    // A full disk must not end the run, and the result must not go out whole either (F71).
    return { kind: 'lost', why: error instanceof Error ? error.message : String(error) };
  }
}

function sourceOf(input: JsonObject): string | undefined {
  return typeof input['file_path'] === 'string' ? input['file_path'] : undefined;
}

function textOf(block: ToolResultBlock): string {
  if (block.content === undefined || typeof block.content === 'string') return block.content ?? '';
  return block.content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n');
}

/** Media stays; text makes way for the preview. The structured output stays with the original, in the journal. */
function withPreviews(message: ViewMessage, previews: ReadonlyMap<string, string>): UserMessage | undefined {
  if (message.type !== 'user' || typeof message.message.content === 'string') return undefined;
  const { content } = message.message;
  if (!content.some((block) => block.type === 'tool_result' && previews.has(block.tool_use_id)))
    return undefined;
  const replaced = content.map((block): UserBlock => {
    const preview = block.type === 'tool_result' ? previews.get(block.tool_use_id) : undefined;
    if (block.type !== 'tool_result' || preview === undefined) return block;
    if (typeof block.content === 'string' || block.content === undefined)
      return { ...block, content: preview };
    const media = block.content.filter((inner) => inner.type !== 'text');
    return { ...block, content: [{ type: 'text', text: preview }, ...media] };
  });
  const { toolUseResult: _, ...rest } = message;
  const item: UserMessage = { ...rest, message: { role: 'user', content: replaced } };
  return Object.freeze(item);
}
