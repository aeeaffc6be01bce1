/** Values of options that have a shape of their own. */

import type { EffortLevel } from '../protocol/model/wire.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';

/** Separates what stays the same from what varies in a system prompt given as an array; never sent. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/**
 * Turnwright's own system prompt, with a text behind it.
 *
 * @example
 * ```ts
 * const options: Options = { systemPrompt: { type: 'preset', preset: 'turnwright', append: 'Be brief.' } };
 * ```
 */
export interface PresetPrompt {
  readonly type: 'preset';
  /** Both names mean Turnwright's own prompt. */
  readonly preset: 'turnwright' | 'claude_code';
  /** Text behind the preset. */
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

/**
 * As options define an agent, under its name.
 *
 * @example
 * ```ts
 * const reviewer: AgentOption = {
 *   description: 'Reviews a change before it is committed.',
 *   prompt: 'You review changes for mistakes. Answer with a list.',
 *   tools: ['Read', 'Grep'],
 *   maxTurns: 10,
 * };
 * ```
 */
export type AgentOption = Omit<AgentDefinition, 'name' | 'from' | 'effort'> & {
  /** A number has no effect, and a warning says so. */
  readonly effort?: EffortLevel | number | undefined;
  /** No effect, with a warning. */
  readonly observer?: unknown;
  /** No effect, with a warning. */
  readonly observerMessage?: unknown;
};

/** Without the dashes; null: a flag without a value. */
export type ExtraArgs = Readonly<Record<string, string | null>>;

export const SETTING_SOURCES = ['user', 'project', 'local'] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** Settings of single built-in tools. */
export interface ToolConfig {
  readonly askUserQuestion?:
    | {
        /**
         * Format of the previews of choices.
         * @default markdown
         */
        readonly previewFormat?: 'markdown' | 'html' | undefined;
      }
    | undefined;
}

/**
 * `true`: always; `false`: never; `auto`: when they would take more than a tenth of the context window;
 * `auto:5`: more than 5 percent of it.
 */
export type ToolSearchMode = boolean | 'auto' | `auto:${number}`;
