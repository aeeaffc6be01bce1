/** Session state that tool results have set and that a summary must not lose (F31, F155). */
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock } from '../../protocol/model/wire.ts';

const KEPT = ['ToolSearch', 'ExitPlanMode', 'Snip'];

export class ToolFacts {
  readonly #calls = new Map<string, string>();
  readonly #loaded = new Set<string>();
  readonly #snipped = new Set<string>();
  #plan: string | undefined;

  /** Names that ToolSearch loaded, in that order. */
  get loadedTools(): readonly string[] {
    return [...this.#loaded];
  }

  /** The last approved plan. */
  get plan(): string | undefined {
    return this.#plan;
  }

  /** Calls that the model marked for removal; those still in the view were not removed yet. */
  get snipped(): readonly string[] {
    return [...this.#snipped];
  }

  called({ id, name }: ToolUseBlock): void {
    if (KEPT.includes(name)) this.#calls.set(id, name);
  }

  answered(id: string, { toolUseResult: data }: UserMessage): void {
    const name = this.#calls.get(id);
    if (name === undefined || typeof data !== 'object' || data === null) return;
    const { matches, plan, marked } = data as Readonly<Record<string, unknown>>;
    if (name === 'ExitPlanMode' && typeof plan === 'string') this.#plan = plan;
    if (name === 'ToolSearch') for (const match of textsIn(matches)) this.#loaded.add(match);
    if (name === 'Snip') for (const id of textsIn(marked)) this.#snipped.add(id);
  }
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
