import { createContext } from '../../context/context-port.ts';
import type { ContextPort } from '../../protocol/context.ts';
import type { HookPort } from '../../protocol/hook.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ModelPort, SessionMemory, ToolsRoom } from '../parts.ts';
import type { UsageLedger } from '../usage-ledger.ts';
import type { SpillRoom } from './spill.ts';

export interface ContextParts {
  readonly sessionId: string;
  readonly model: ModelPort;
  readonly ledger: UsageLedger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hooks: HookPort;
  readonly spill: SpillRoom;
  readonly tools: ToolsRoom;
  readonly allTools: readonly AnyTool[];
  readonly memory: SessionMemory;
  readonly transcriptPath: string | undefined;
}

export function composeContext(config: QueryEngineConfig, parts: ContextParts): ContextPort {
  const { compaction = {} } = config;
  const limits = new Map(parts.allTools.map((tool) => [tool.name, tool.maxResultChars]));
  return createContext({
    callModel: parts.model.call,
    ledger: parts.ledger,
    clock: parts.clock,
    ids: parts.ids,
    hooks: parts.hooks,
    spill: parts.spill.result,
    modelSize: (model) => parts.model.infoOf(model),
    async mainRequest(model) {
      const head = parts.memory.request;
      return {
        sessionId: parts.sessionId,
        foreground: true,
        system: head?.system ?? [],
        tools: await parts.tools.port.wireTools(model),
        maxTokens: head?.maxOutputTokens ?? head?.defaultOutputCap ?? 8_000,
        ...(head !== undefined && { userContext: head.userContext }),
        ...(head?.thinking !== undefined && { thinking: head.thinking }),
        ...(head?.effort !== undefined && { effort: head.effort }),
        ...(head?.speed !== undefined && { speed: head.speed }),
        ...(head?.betas !== undefined && { betas: head.betas }),
      };
    },
    maxResultChars: (name) => limits.get(name),
    ...(compaction.auto !== undefined && { autocompact: compaction.auto }),
    ...(compaction.reactive !== undefined && { reactiveCompact: compaction.reactive }),
    ...(compaction.window !== undefined && { limits: { window: compaction.window } }),
    ...(parts.transcriptPath !== undefined && { transcriptPath: parts.transcriptPath }),
  });
}
