/** Every `cache_control` of a request in the order the API processes them: tools, system, messages. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiRequest, walkMessages } from '../request/api-request.ts';

interface CacheMark {
  readonly path: string;
  readonly value: unknown;
  /** Type of the block that carries it. */
  readonly on: string;
}

export function cacheMarks(request: ApiRequest): CacheMark[] {
  const marks: CacheMark[] = [];
  const note = (holder: Readonly<Record<string, unknown>>, path: string, on: string) => {
    const value = holder['cache_control'];
    if (value !== undefined && value !== null) marks.push({ path: `${path}.cache_control`, value, on });
  };
  for (const [at, tool] of request.tools.entries()) note(tool, `tools.${at}`, 'tool');
  for (const [at, block] of request.system.entries()) note(block, `system.${at}`, 'text');
  // The breakpoint of a result comes after those of the blocks inside it.
  let pending: (() => void) | undefined;
  for (const { block, path, nested } of walkMessages(request)) {
    if (!nested) {
      pending?.();
      pending = () => note(block, path, block.type);
    } else {
      note(block, path, block.type);
    }
  }
  pending?.();
  return marks;
}

/** A top-level `cache_control` is one more breakpoint, on the last block. */
export function hasAutomaticMark(request: ApiRequest): boolean {
  return isRecord(request.body['cache_control']);
}
