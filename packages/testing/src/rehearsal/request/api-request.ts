/**
 * A request as the API reads it. Reading never fails: malformed parts are omitted here and refused by the
 * judge's shape rules, so every later rule may rely on what it finds.
 */
import { type ImageHeader, imageHeader } from '@turnwright/base/files/image-header.ts';
import { isRecord } from '@turnwright/base/json-values.ts';

export interface ApiBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface ApiTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface ApiTurn {
  readonly role: string;
  /** Index in `messages`. */
  readonly index: number;
  /** A string counts as one text block. */
  readonly blocks: readonly ApiBlock[];
}

interface PlacedBlock {
  readonly block: ApiBlock;
  /** Index of its message in `messages`. */
  readonly message: number;
  /** Index in that message's content. */
  readonly at: number;
}

/** Consecutive messages of one role are one turn; `system` messages are not part of turns. */
export interface MergedTurn {
  readonly role: string;
  readonly blocks: readonly PlacedBlock[];
}

export interface ApiRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly system: readonly ApiBlock[];
  readonly tools: readonly ApiTool[];
  readonly turns: readonly ApiTurn[];
  readonly merged: readonly MergedTurn[];
}

export function readApiRequest(body: unknown): ApiRequest {
  const record = isRecord(body) ? body : {};
  const messages: unknown[] = Array.isArray(record['messages']) ? record['messages'] : [];
  const turns: ApiTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message) || typeof message['role'] !== 'string') continue;
    turns.push({ role: message['role'], index, blocks: readBlocks(message['content']) });
  }
  const tools: unknown[] = Array.isArray(record['tools']) ? record['tools'] : [];
  return {
    body: record,
    model: typeof record['model'] === 'string' ? record['model'] : '',
    system: readBlocks(record['system']),
    tools: tools.filter((tool): tool is ApiTool => isRecord(tool) && typeof tool['name'] === 'string'),
    turns,
    merged: mergeTurns(turns),
  };
}

/** A string as one text block (none when empty), a list as its well-formed blocks. */
export function readBlocks(content: unknown): ApiBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter((block): block is ApiBlock => isRecord(block) && typeof block['type'] === 'string');
}

function mergeTurns(turns: readonly ApiTurn[]): MergedTurn[] {
  const merged: { role: string; blocks: PlacedBlock[] }[] = [];
  for (const turn of turns) {
    if (turn.role === 'system') continue;
    const placed = turn.blocks.map((block, at) => ({ block, message: turn.index, at }));
    const last = merged.at(-1);
    if (last?.role === turn.role) last.blocks.push(...placed);
    else merged.push({ role: turn.role, blocks: placed });
  }
  return merged;
}

interface WalkedBlock {
  readonly block: ApiBlock;
  /** Path as the API names it, e.g. `messages.2.content.0.tool_result.content.1`. */
  readonly path: string;
  readonly role: string;
  /** Inside a tool_result. */
  readonly nested: boolean;
}

/** Every block of the messages; blocks inside tool results follow the result. */
export function* walkMessages(request: ApiRequest): Generator<WalkedBlock> {
  for (const turn of request.turns) {
    for (const [at, block] of turn.blocks.entries()) {
      const path = `messages.${turn.index}.content.${at}`;
      yield { block, path, role: turn.role, nested: false };
      if (block.type !== 'tool_result' || !Array.isArray(block['content'])) continue;
      for (const [inner, nested] of readBlocks(block['content']).entries()) {
        yield { block: nested, path: `${path}.tool_result.content.${inner}`, role: turn.role, nested: true };
      }
    }
  }
}

/** The text of a block: its own, or a tool result's. */
export function readBlockText(block: ApiBlock): string {
  if (block.type === 'text') return typeof block['text'] === 'string' ? block['text'] : '';
  if (block.type === 'tool_result') return readBlocks(block['content']).map(readBlockText).join('\n');
  return '';
}

/** One field of every block of a type, in order of appearance. */
export function listBlockIds(turn: MergedTurn, type: string, field: string): Set<unknown> {
  const ids = new Set<unknown>();
  for (const { block } of turn.blocks) if (block.type === type) ids.add(block[field]);
  return ids;
}

/** Size and actual format of an image block; undefined when it has no base64 image of a known format. */
export function readImageSize(block: ApiBlock): ImageHeader | undefined {
  const source = block['source'];
  if (!isRecord(source) || source['type'] !== 'base64' || typeof source['data'] !== 'string')
    return undefined;
  return imageHeader(source['data']);
}
