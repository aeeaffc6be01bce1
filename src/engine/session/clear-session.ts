/** The session after a cleared one (`/clear`). */

import type { QueryEngineConfig } from '../config.ts';
import type { Inherited } from '../wiring/engine.ts';
import type { EngineParts } from './session-parts.ts';

/**
 * A fresh conversation with the same tools, rules and hooks, the model and the mode as they were last set; connections
 * and what was spent are taken over.
 */
export function handOver<Engine>(
  sessionId: string,
  { config, memory, permissions, mcp, ledger }: EngineParts,
  open: (config: QueryEngineConfig, inherited: Inherited) => Engine,
): Engine {
  const next = open(
    {
      ...config,
      sessionId,
      resume: undefined,
      forkSession: undefined,
      resumeSessionAt: undefined,
      resumeDropsTurn: undefined,
      title: undefined,
      initialMessages: undefined,
      orphanedPermission: undefined,
      readFileCache: undefined,
      model: memory.modelName,
      permissionMode: permissions.mode,
    },
    { mcp, ledger, thinking: memory.thinking, capWarnings: memory.capWarnings, results: memory.results },
  );
  memory.handedOver = true;
  return next;
}
