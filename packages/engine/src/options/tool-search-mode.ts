import type { ToolSearchMode } from './option-values.ts';

/** Of `auto`: a tenth of the context window. */
const AUTO_SHARE = 0.1;

/**
 * The share of the context window that tools of MCP servers may take before they are deferred: 0 defers them
 * always, 1 never. undefined: that is no such mode. Takes the words of the variable ENABLE_TOOL_SEARCH as
 * well.
 */
export function toolSearchShare(mode: ToolSearchMode | string): number | undefined {
  if (typeof mode === 'boolean') return mode ? 0 : 1;
  const percent = /^auto:(\d{1,3})$/i.exec(mode)?.[1];
  if (percent !== undefined) return Math.min(1, Number(percent) / 100);
  if (/^auto$/i.test(mode)) return AUTO_SHARE;
  if (/^(?:0|false|no|off)$/i.test(mode)) return 1;
  return /^(?:1|true|yes|on)$/i.test(mode) ? 0 : undefined;
}
