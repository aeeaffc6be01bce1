/** The tools of a session as the loop sees them: what to tell the model, and an executor for each iteration. */
import type { GatePorts } from '../protocol/gate.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { AnyTool, ToolCall, ToolContext, ToolExecutor } from '../protocol/tool.ts';
import type { ToolUseBlock, WireTool } from '../protocol/wire.ts';
import type { Scope } from '../util/scope.ts';
import { StreamingToolExecutor } from './executor.ts';
import { observableInput } from './observable-input.ts';
import { createToolSet, type ToolSet } from './tool-set.ts';

export interface ToolsPortOptions {
  /** A function when the set changes while the session runs: the same array means the same tools. */
  readonly tools: readonly AnyTool[] | (() => readonly AnyTool[]);
  readonly gate: GatePorts;
  /** Called when a call's turn has come. */
  makeContext(call: ToolCall, signal: AbortSignal): ToolContext;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Concurrency-safe calls that run together. Default 10. */
  readonly maxConcurrency?: number;
  /** The working directory that descriptions may name. Default `.`. */
  readonly cwd?: string;
}

export interface ToolsPort {
  wireTools(model: string): Promise<readonly WireTool[]>;
  open(input: {
    readonly scope: Scope;
    readonly iteration: number;
    readonly chainId: string;
    readonly depth: number;
  }): ToolExecutor;
  backfill(block: ToolUseBlock): ToolUseBlock;
}

/** Throws `invalid_option` when two tools have one name, or a name is not one the API takes. */
export function createToolsPort(options: ToolsPortOptions): ToolsPort {
  const tools = currentTools(options.tools);
  const modifiers: ((context: ToolContext) => ToolContext)[] = [];
  const wire = new Map<string, { readonly set: ToolSet; readonly described: Promise<readonly WireTool[]> }>();

  return {
    /** The text is taken once per model and set of tools, so that requests repeat byte for byte (L3). */
    wireTools(model) {
      const set = tools();
      const known = wire.get(model);
      if (known?.set === set) return known.described;
      const described = Promise.all(
        set.all.map((tool) => describe(tool, { cwd: options.cwd ?? '.', model })),
      );
      wire.set(model, { set, described });
      return described;
    },

    open({ scope, chainId, depth }) {
      const executor = new StreamingToolExecutor({
        tools: tools(),
        gate: options.gate,
        clock: options.clock,
        ids: options.ids,
        ...(options.maxConcurrency !== undefined && { maxConcurrency: options.maxConcurrency }),
        makeContext(call, signal) {
          const fresh: ToolContext = {
            ...options.makeContext(call, signal),
            queryTracking: { chainId, depth },
          };
          return modifiers.reduce((context, modify) => modify(context), fresh);
        },
        onModifyContext: (modify) => modifiers.push(modify),
      });
      const onAbort = () => void executor.abort('interrupted');
      if (scope.signal.aborted) onAbort();
      scope.signal.addEventListener('abort', onAbort, { once: true });
      scope.onClose(() => executor.abort('discarded'));
      return executor;
    },

    backfill(block) {
      const input = observableInput(tools().find(block.name), block.input);
      return input === block.input ? block : { ...block, input };
    },
  };
}

/** The set of now, made anew only when the tools are others. */
function currentTools(source: ToolsPortOptions['tools']): () => ToolSet {
  if (typeof source !== 'function') {
    const set = createToolSet(source);
    return () => set;
  }
  let from = source();
  let set = createToolSet(from);
  return () => {
    const now = source();
    if (now !== from) {
      set = createToolSet(now);
      from = now;
    }
    return set;
  };
}

async function describe(tool: AnyTool, about: { cwd: string; model: string }): Promise<WireTool> {
  let description = '';
  try {
    description = await tool.description(undefined, about);
  } catch {
    // A tool that cannot describe itself must not cost the session its requests (F152): its schema still speaks.
  }
  return { name: tool.name, ...(description !== '' && { description }), input_schema: tool.inputJsonSchema };
}
