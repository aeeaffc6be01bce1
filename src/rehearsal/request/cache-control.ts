import { type ApiBlock, type ApiTool, isRecord } from './api-request.ts';

export type CacheLife = '5m' | '1h';

/** Lifetime of a block's own breakpoint, or of the last one inside a tool result. */
export function cacheLife(block: ApiBlock | ApiTool): CacheLife | undefined {
  const own = block['cache_control'];
  if (isRecord(own)) return own['ttl'] === '1h' ? '1h' : '5m';
  const content = block['content'];
  if (!Array.isArray(content)) return undefined;
  for (const inner of content.toReversed()) {
    const nested: unknown = isRecord(inner) ? inner['cache_control'] : undefined;
    if (isRecord(nested)) return nested['ttl'] === '1h' ? '1h' : '5m';
  }
  return undefined;
}
