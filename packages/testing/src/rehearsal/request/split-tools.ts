/**
 * Deferred tools as the API treats them: a definition with `defer_loading` is no part of the beginning of the
 * prompt, and is put where a block of the conversation refers to it.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiBlock, type ApiTool, readBlocks } from './api-request.ts';

interface SplitTools {
  /** At the beginning of the prompt. */
  readonly eager: readonly ApiTool[];
  /** Whether any is deferred, which the beginning of the prompt then says. */
  readonly defers: boolean;
  /** Deferred tools whose definition this block of a message loads. */
  loadedBy(block: ApiBlock): readonly ApiTool[];
}

export function splitTools(tools: readonly ApiTool[]): SplitTools {
  const eager = tools.filter((tool) => !isDeferred(tool));
  if (eager.length === tools.length) return { eager: tools, defers: false, loadedBy: () => NONE };
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [tool.name, tool]));
  const found = (name: string) => deferred.get(name) ?? [];
  return { eager, defers: true, loadedBy: (block) => referencedTools(block).flatMap(found) };
}

/** Names of the tools that a block of a message refers to, by a result of a search or as an addition. */
export function referencedTools(block: ApiBlock): readonly string[] {
  if (block.type === 'tool_addition') {
    const { tool } = block;
    return isRecord(tool) ? [String(tool['tool_name'] ?? tool['name'])] : [];
  }
  if (block.type !== 'tool_result' || !Array.isArray(block['content'])) return [];
  return readBlocks(block['content'])
    .filter(({ type }) => type === 'tool_reference')
    .map((inner) => String(inner['tool_name']));
}

export const isDeferred = (tool: ApiTool): boolean => tool['defer_loading'] === true;

const NONE: readonly ApiTool[] = [];
