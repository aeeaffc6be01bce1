/** What results of tools have made of a session: state of the engine that no summary may lose (F31, F155). */
import type { UserMessage } from '../protocol/messages.ts';
import type { ToolUseBlock } from '../protocol/wire.ts';

const KEPT = ['ToolSearch', 'ExitPlanMode'];

export class ToolFacts {
  readonly #calls = new Map<string, string>();
  readonly #loaded = new Set<string>();
  #plan: string | undefined;

  /** Names that ToolSearch loaded, in that order. */
  get loadedTools(): readonly string[] {
    return [...this.#loaded];
  }

  /** The plan that was approved last. */
  get plan(): string | undefined {
    return this.#plan;
  }

  called({ id, name }: ToolUseBlock): void {
    if (KEPT.includes(name)) this.#calls.set(id, name);
  }

  answered(id: string, { toolUseResult: data }: UserMessage): void {
    const name = this.#calls.get(id);
    if (name === undefined || typeof data !== 'object' || data === null) return;
    const { matches, plan } = data as { readonly matches?: unknown; readonly plan?: unknown };
    if (name === 'ExitPlanMode' && typeof plan === 'string') this.#plan = plan;
    if (name === 'ToolSearch' && Array.isArray(matches))
      for (const match of matches) if (typeof match === 'string') this.#loaded.add(match);
  }
}
