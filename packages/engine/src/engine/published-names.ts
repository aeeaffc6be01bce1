/**
 * Other names of options in the engine's configuration: those of the published table of its fields (L1), and
 * earlier ones.
 */
import type { BaseOptions } from '../options/options.ts';
import type { OutputFormat, OutputSchema } from '../options/output-format.ts';
import type { QueryEngineConfig } from './config.ts';

/** Other names of options. A field that is given under its own name wins. */
interface PublishedNames<Output = unknown> {
  /** Another name of `model`. */
  userSpecifiedModel?: BaseOptions['model'];
  /** Another name of `thinking`. */
  thinkingConfig?: BaseOptions['thinking'];
  /** Another name of `onElicitation`. */
  handleElicitation?: BaseOptions['onElicitation'];
  /** `systemPrompt` as one or several texts, in place of the preset; `[]` and `''`: none. */
  customSystemPrompt?: string | readonly string[] | undefined;
  /** Appended to `customSystemPrompt`, or to the preset without one. */
  appendSystemPrompt?: string | undefined;
  /** Another name of `outputFormat`, for its schema alone. */
  jsonSchema?: OutputSchema<Output> | undefined;
  /** Another name of `permissionPromptToolName`. */
  permissionPromptTool?: BaseOptions['permissionPromptToolName'];
  /** `maxSubagentDepth`, `maxSubagentsPerMessage`, `maxSubagents` and `subagentDeadlineMs` in one field. */
  agentLimits?:
    | {
        readonly maxDepth?: number | undefined;
        readonly maxPerMessage?: number | undefined;
        readonly maxPerSession?: number | undefined;
        readonly deadlineMs?: number | undefined;
      }
    | undefined;
}

/** The configuration as callers write it: the engine's fields, also under their published names. */
export interface PublicConfig<Output = unknown> extends QueryEngineConfig, PublishedNames<Output> {
  /** See `Options.outputFormat`. */
  outputFormat?: OutputFormat<Output> | undefined;
}

const OTHER_NAMES: readonly (keyof PublishedNames)[] = [
  'userSpecifiedModel',
  'thinkingConfig',
  'handleElicitation',
  'customSystemPrompt',
  'appendSystemPrompt',
  'jsonSchema',
  'permissionPromptTool',
  'agentLimits',
];

/** Every field under its own name, in a new object. */
export function underOwnNames(given: PublicConfig): QueryEngineConfig;
export function underOwnNames(given: Partial<PublicConfig>): Partial<QueryEngineConfig>;
export function underOwnNames(given: Partial<PublicConfig>): Partial<QueryEngineConfig> {
  if (!OTHER_NAMES.some((name) => name in given)) return { ...given };
  const { userSpecifiedModel, thinkingConfig, handleElicitation, ...others } = given;
  const { customSystemPrompt: custom, appendSystemPrompt: append, jsonSchema: schema, ...more } = others;
  const { permissionPromptTool, agentLimits, ...own } = more;
  const renamed: Partial<QueryEngineConfig> = {
    model: userSpecifiedModel,
    thinking: thinkingConfig,
    onElicitation: handleElicitation,
    systemPrompt: custom === undefined && append === undefined ? undefined : toSystemPrompt(custom, append),
    outputFormat: schema && { type: 'json_schema', schema },
    permissionPromptToolName: permissionPromptTool,
    maxSubagentDepth: agentLimits?.maxDepth,
    maxSubagentsPerMessage: agentLimits?.maxPerMessage,
    maxSubagents: agentLimits?.maxPerSession,
    subagentDeadlineMs: agentLimits?.deadlineMs,
  };
  const meant = Object.entries(renamed).filter(
    ([name, value]) => value !== undefined && own[name as keyof typeof own] === undefined,
  );
  return meant.length === 0 ? own : { ...own, ...Object.fromEntries(meant) };
}

function toSystemPrompt(
  custom: string | readonly string[] | undefined,
  append: string | undefined,
): BaseOptions['systemPrompt'] {
  if (custom === undefined) return { type: 'preset', preset: 'turnwright', append };
  return append === undefined ? custom : [...[custom].flat(), append];
}
