/** Session functions of the library: defaults are the process's own folder and environment. */
import {
  sessionContext as contextOf,
  explainSession as explain,
  listSessions as list,
  type SessionSummary,
} from '../engine/compose/session-files.ts';

export { configurationHome, sessionsDirectory } from '../engine/compose/session-files.ts';

import type { ContextUsage } from '../protocol/context-usage.ts';
import { placeOf } from './process-place.ts';

export type { SessionSummary };

export interface SessionOptions {
  /** Default the caller's. */
  readonly cwd?: string | undefined;
  /** Names the configuration home; default the process's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Sessions of a folder that have a prompt, newest first. */
export function listSessions(
  options: SessionOptions & { readonly limit?: number | undefined } = {},
): Promise<readonly SessionSummary[]> {
  return list({ ...placeOf(options), limit: options.limit });
}

/** Why each iteration of a session ended as it did, as text; default the newest of `cwd`. Rejects with `session_not_found`. */
export function explainSession(sessionId?: string, options: SessionOptions = {}): Promise<string> {
  return explain(sessionId, placeOf(options));
}

/** What filled the context when the session last stood still; default the newest of `cwd`. Rejects with `session_not_found`. */
export function sessionContext(sessionId?: string, options: SessionOptions = {}): Promise<ContextUsage> {
  return contextOf(sessionId, placeOf(options));
}
