/**
 * Reports that the consumer has received the block of an agent's call (L4.1): only then may its gate ask
 * hooks and hosts. An agent does not wait for its consumer, so the receipt of its messages has to be reported
 * from outside.
 */
import type { ToolsPort } from '../../loop/deps.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { ToolProgress } from '../../protocol/tools/tool.ts';

/** Called after progress was received by a consumer, or was dropped because there is none. */
export function tellTaken({ taken }: Pick<ToolProgress, 'taken'>): void {
  taken?.();
}

interface Deliveries {
  /** What releases the calls in this message; undefined: it holds none. */
  of(message: SDKMessage): (() => void) | undefined;
  /** The same tools, whose calls wait for their block to be taken. */
  guard(port: ToolsPort): ToolsPort;
}

export function createDeliveries(): Deliveries {
  /** Calls whose block is under way, and those whose gate waits for it. */
  const waiting = new Map<string, () => void>();
  const underWay = new Set<string>();

  const release = (ids: readonly string[]) => {
    for (const id of ids) {
      underWay.delete(id);
      waiting.get(id)?.();
      waiting.delete(id);
    }
  };
  return {
    of(message) {
      if (message.type !== 'assistant') return undefined;
      const ids = message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      if (ids.length === 0) return undefined;
      for (const id of ids) underWay.add(id);
      return () => release(ids);
    },
    guard: (port) => ({
      wireTools: (model) => port.wireTools(model),
      backfill: (block) => port.backfill(block),
      mcpOf: (name) => port.mcpOf?.(name),
      outwardInput: (block) => port.outwardInput(block),
      open(input) {
        const executor = port.open(input);
        return {
          add: (call) => executor.add(call),
          delivered(id) {
            // A block that was not emitted to a consumer has no receipt to wait for.
            if (underWay.has(id)) waiting.set(id, () => executor.delivered(id));
            else executor.delivered(id);
          },
          take: () => executor.take(),
          get open() {
            return executor.open;
          },
          get waits() {
            return executor.waits;
          },
          ready: () => executor.ready(),
          abort: (why) => executor.abort(why),
          leave: () => executor.leave(),
        };
      },
    }),
  };
}
