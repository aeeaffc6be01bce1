/** Whether a session has the tools that belong to its context. */
import type { QueryEngineConfig } from '../config.ts';
import type { ComposedSession } from './session.ts';

export function offersSnip({ compaction = {} }: QueryEngineConfig): boolean {
  return compaction.snipTool === true && compaction.snip !== false;
}

/** See `CompactionOptions.history`. A host that offers no tools wants none. */
export function offersHistory(config: QueryEngineConfig, { directory }: ComposedSession): boolean {
  const { compaction = {}, tools, store } = config;
  const isKept = directory !== undefined || store !== undefined;
  return compaction.history ?? (isKept && tools.length > 0 && compaction.auto !== false);
}
