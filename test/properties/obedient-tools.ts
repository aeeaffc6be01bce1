/** Tools that do what their input says, good or bad. */
import type {
  AnyTool,
  EffectClass,
  ToolContext,
  ToolOutput,
  ToolProgress,
} from '@turnwright/engine/protocol/tools/tool.ts';

export const DEEDS = [
  'ok',
  'later',
  'throw',
  'empty',
  'error',
  'hang',
  'end',
  'deaf',
  'slow',
  'big',
  'tell',
] as const;
export type Deed = (typeof DEEDS)[number];

export interface ObedientPorts {
  /** Resolves after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Called when a call begins. Returns a function that is called when it has ended. */
  onRun?(name: string, context: ToolContext): () => void;
}

/** How long a call that hangs does so. */
const HANG_MS = 30;
export const SLOW_MS = 20_000;
const BIG_CHARS = 30_000;

/** `safe`: it changes nothing, and may run beside others. */
export function obedientTool(
  name: string,
  { safe, effects }: { readonly safe: boolean; readonly effects: EffectClass },
  ports: ObedientPorts,
): AnyTool {
  return {
    name,
    inputJsonSchema: { type: 'object', properties: { deed: { type: 'string' } } },
    description: () => `Does what it is told (${name}).`,
    parse: (input: { deed?: Deed }) =>
      typeof input.deed === 'string'
        ? { ok: true, input: input as { deed: Deed } }
        : { ok: false, issues: ['deed is missing'] },
    isConcurrencySafe: () => safe,
    isReadOnly: () => safe,
    effectClass: () => effects,
    async *run({ deed }: { deed: Deed }, context): AsyncGenerator<ToolProgress, ToolOutput> {
      const ended = ports.onRun?.(name, context);
      try {
        return yield* done(deed, context, ports);
      } finally {
        ended?.();
      }
    },
  };
}

async function* done(
  deed: Deed,
  { signal }: ToolContext,
  { wait }: ObedientPorts,
): AsyncGenerator<ToolProgress, ToolOutput> {
  if (deed === 'throw') throw new Error('thrown by the tool');
  if (deed === 'later') await new Promise((resolve) => setImmediate(resolve));
  if (deed === 'hang') await wait(HANG_MS, signal);
  if (deed === 'slow') await wait(SLOW_MS, signal);
  if (deed === 'deaf') await wait(SLOW_MS, undefined);
  if (deed === 'tell') for (const at of [1, 2, 3]) yield { type: 'told', at };
  const content = deed === 'empty' ? '' : deed === 'big' ? 'big '.repeat(BIG_CHARS / 4) : `did ${deed}`;
  return { data: deed, content, isError: deed === 'error', endsTurn: deed === 'end' };
}
