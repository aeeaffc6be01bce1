/** The flags of a run that are not options of `query()`. */

import type { Options } from '@turnwright/engine';
import type { OptionName } from '@turnwright/engine/options/table.ts';
import { InvalidArgumentError } from 'commander';
import { INITIALIZE_FIELDS, type InitializeField } from '../control/launch-demands.ts';
import { appended, jsonObject } from './flag-values.ts';

const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
export type PrintFormat = (typeof OUTPUT_FORMATS)[number];

export interface OwnFlags {
  readonly print?: true;
  readonly outputFormat: PrintFormat;
  readonly inputFormat: 'text' | 'stream-json';
  readonly verbose?: true;
  /** A conversation goes line by line. */
  readonly screenReader?: true;
  /** false: the terminal is not asked how wide it draws, nor what its background is. */
  readonly probe?: boolean;
  readonly appendSystemPrompt?: string;
  readonly dangerouslySkipPermissions?: true;
  readonly takeOver?: true;
  /** Run in a git worktree of this name; true: of a new one. */
  readonly worktree?: string | true;
  /** `--resume` without an id. */
  readonly pickSession?: true;
  readonly trustProject?: true;
  readonly thinkingDisplay?: 'summarized' | 'omitted';
  readonly mcpConfig?: readonly Readonly<Record<string, unknown>>[];
  readonly pluginDirNoMcp?: readonly string[];
  /** Report to a collector of OpenTelemetry. */
  readonly otel?: true;
  /** What `otel` is resolved to; no flag sets it. */
  readonly tracing?: Options['tracing'];
  /** Tell the host of each write to the session's files. */
  readonly sessionMirror?: true;
  /** Announces that the first line of the host is `initialize`, and its fields. */
  readonly awaitInitialize?: true;
  readonly managedSettingsInInitialize?: true;
  readonly initializeFields?: readonly InitializeField[];
}

export interface OwnFlag {
  readonly flag: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly read?: (words: string, previous: never) => unknown;
  /** Absent: the flag is for programs, and not in the help. */
  readonly help?: { readonly heading: string; readonly after?: OptionName; readonly sentence: string };
}

const inOutput = (sentence: string) => ({ heading: 'Output', sentence });

export const OWN_FLAGS: Readonly<Record<Exclude<keyof OwnFlags, 'tracing'>, OwnFlag>> = {
  print: {
    flag: '-p, --print',
    help: inOutput('print the final answer alone and exit (also when stdout is no terminal)'),
  },
  outputFormat: {
    flag: '--output-format <format>',
    choices: OUTPUT_FORMATS,
    default: 'text',
    help: inOutput('of --print'),
  },
  inputFormat: {
    flag: '--input-format <format>',
    choices: ['text', 'stream-json'],
    default: 'text',
    help: inOutput('of stdin'),
  },
  verbose: {
    flag: '--verbose',
    help: inOutput('more about what happens, on stderr when printing'),
  },
  otel: {
    flag: '--otel',
    help: inOutput(
      'report spans and metrics to OpenTelemetry, by its variables (OTEL_EXPORTER_OTLP_ENDPOINT …)',
    ),
  },
  screenReader: {
    flag: '--screen-reader',
    help: inOutput('a conversation line by line, for screen readers; questions are numbered'),
  },
  probe: {
    flag: '--no-probe',
    help: inOutput('do not ask the terminal how wide it draws emoji, nor what its background is'),
  },
  appendSystemPrompt: {
    flag: '--append-system-prompt <text>',
    help: { heading: 'Model and limits', after: 'systemPrompt', sentence: 'appended to the system prompt' },
  },
  dangerouslySkipPermissions: {
    flag: '--dangerously-skip-permissions',
    help: {
      heading: 'Tools and permissions',
      after: 'permissionMode',
      sentence: 'runs every call without asking',
    },
  },
  takeOver: {
    flag: '--take-over',
    help: {
      heading: 'Session and settings',
      after: 'continue',
      sentence: 'takes the session from a process that works on it',
    },
  },
  worktree: {
    flag: '-w, --worktree [name]',
    help: {
      heading: 'Session and settings',
      after: 'continue',
      sentence: 'work in a git worktree of its own, new or left by an earlier run',
    },
  },
  pickSession: { flag: '--pick-session' },
  trustProject: { flag: '--trust-project' },
  thinkingDisplay: { flag: '--thinking-display <how>', choices: ['summarized', 'omitted'] },
  mcpConfig: { flag: '--mcp-config <configs...>', read: mcpConfig },
  pluginDirNoMcp: { flag: '--plugin-dir-no-mcp <folder>', read: appended },
  sessionMirror: { flag: '--session-mirror' },
  awaitInitialize: { flag: '--await-initialize' },
  managedSettingsInInitialize: { flag: '--managed-settings-in-initialize' },
  initializeFields: { flag: '--initialize-fields <names>', read: initializeFields },
};

function initializeFields(words: string): readonly InitializeField[] {
  const names = words.split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '')
    .map((name) => {
      const field = INITIALIZE_FIELDS.find((known) => known === name);
      if (field === undefined) throw new InvalidArgumentError(`There is ${INITIALIZE_FIELDS.join(' and ')}.`);
      return field;
    });
}

/** `{"mcpServers": {…}}`, in place or in a file; the servers in it. */
function mcpConfig(
  words: string,
  previous: readonly Readonly<Record<string, unknown>>[] | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  const { mcpServers } = jsonObject(words);
  if (typeof mcpServers !== 'object' || mcpServers === null)
    throw new InvalidArgumentError('Give {"mcpServers": {…}}.');
  return [...(previous ?? []), mcpServers as Readonly<Record<string, unknown>>];
}
