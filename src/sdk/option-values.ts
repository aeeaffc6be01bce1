/** Values of options that have a shape of their own. */
import type { AgentDefinition } from '../engine/config.ts';
import type { EffortLevel } from '../protocol/wire.ts';

export interface PresetPrompt {
  readonly type: 'preset';
  /** Both names mean Turnwright's own prompt. */
  readonly preset: 'turnwright' | 'claude_code';
  readonly append?: string | undefined;
  /** Accepted; the prompt is the same for all who work in one folder already. */
  readonly excludeDynamicSections?: boolean | undefined;
  /** Accepted; it is made anew for each session, never recorded. */
  readonly snapshot?: boolean | undefined;
}

export interface CustomPrompt {
  readonly type: 'custom';
  readonly prompt: string | readonly string[];
  readonly snapshot?: boolean | undefined;
}

/** As options define an agent, under its name. */
export type AgentOption = Omit<AgentDefinition, 'name' | 'from' | 'effort'> & {
  /** A number has no effect, and a warning says so. */
  readonly effort?: EffortLevel | number | undefined;
  /** No effect, with a warning. */
  readonly observer?: unknown;
  /** No effect, with a warning. */
  readonly observerMessage?: unknown;
};
