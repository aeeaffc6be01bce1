/**
 * `extraArgs`, flags of a command line: there is none in process, but most flags are options by another name. Those are
 * taken; the others are refused by name, for a flag that is passed over may be one that somebody relies on.
 */
import { TurnwrightError } from '../protocol/errors.ts';
import { checkOptions } from './check-options.ts';
import type { Options } from './options.ts';

/** Without the dashes; null: a flag without a value. */
export type ExtraArgs = Readonly<Record<string, string | null>>;

type Meaning = (value: string | null, flag: string) => Options;

const isSet =
  (name: keyof Options): Meaning =>
  (value, flag) => {
    if (value !== null && value !== 'true' && value !== 'false')
      refuse(`--${flag} takes no value, or "true" or "false"`);
    return { [name]: value !== 'false' };
  };

const text =
  (name: keyof Options): Meaning =>
  (value, flag) => ({ [name]: needed(value, flag) });

const number =
  (name: keyof Options): Meaning =>
  (value, flag) => {
    const parsed = Number(needed(value, flag));
    if (!Number.isFinite(parsed)) refuse(`--${flag} takes a number, not "${value}"`);
    return { [name]: parsed };
  };

/** `a,b` or `a b`; commas and blanks inside parentheses belong to a rule. */
const list =
  (name: keyof Options): Meaning =>
  (value, flag) => ({
    [name]: needed(value, flag)
      .split(/[,\s]+(?![^(]*\))/)
      .filter((item) => item !== ''),
  });

const nothing: Meaning = () => ({});

const MEANINGS: Readonly<Record<string, Meaning>> = {
  // How a process speaks with its host.
  print: nothing,
  verbose: nothing,
  'output-format': nothing,
  'input-format': nothing,
  agent: text('agent'),
  'add-dir': list('additionalDirectories'),
  'allow-dangerously-skip-permissions': isSet('allowDangerouslySkipPermissions'),
  allowedTools: list('allowedTools'),
  betas: list('betas'),
  continue: isSet('continue'),
  'dangerously-skip-permissions': () => ({ permissionMode: 'bypassPermissions' }),
  debug: (value) => ({ debug: value ?? true }),
  'debug-file': text('debugFile'),
  'disable-slash-commands': isSet('disableSlashCommands'),
  disallowedTools: list('disallowedTools'),
  effort: text('effort'),
  'fallback-model': text('fallbackModel'),
  'fork-session': isSet('forkSession'),
  'forward-subagent-text': isSet('forwardSubagentText'),
  'include-hook-events': isSet('includeHookEvents'),
  'include-partial-messages': isSet('includePartialMessages'),
  'json-schema': (value, flag) => ({ outputFormat: { type: 'json_schema', schema: json(value, flag) } }),
  'max-budget-usd': number('maxBudgetUsd'),
  'max-thinking-tokens': number('maxThinkingTokens'),
  'max-turns': number('maxTurns'),
  model: text('model'),
  name: text('title'),
  'no-session-persistence': () => ({ persistSession: false }),
  'permission-mode': text('permissionMode'),
  'permission-prompts': text('permissionPrompts'),
  'permission-prompt-tool': text('permissionPromptToolName'),
  'project-config-root': text('projectConfigRoot'),
  'prompt-suggestions': isSet('promptSuggestions'),
  'replay-user-messages': isSet('replayUserMessages'),
  resume: text('resume'),
  'resume-session-at': text('resumeSessionAt'),
  'session-id': text('sessionId'),
  settings: text('settings'),
  'setting-sources': list('settingSources'),
  'strict-mcp-config': isSet('strictMcpConfig'),
  'system-prompt': text('systemPrompt'),
  tools: list('tools'),
};

/** The options with what their `extraArgs` mean; an option that is given itself holds. Throws `invalid_option`. */
export function withExtraArgs(given: Options): Options {
  if (given.extraArgs === undefined) return given;
  const { extraArgs, ...options } = given;
  const meant = Object.entries(extraArgs).map(([flag, value]) => {
    const meaning = Object.hasOwn(MEANINGS, flag) ? MEANINGS[flag] : undefined;
    if (meaning === undefined) refuse(`--${flag} has no meaning in process`);
    return meaning(value, flag);
  });
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  const all: Options = { ...Object.assign({}, ...meant), ...Object.fromEntries(said) };
  checkOptions(all);
  return all;
}

function needed(value: string | null, flag: string): string {
  return value ?? refuse(`--${flag} needs a value`);
}

function json(value: string | null, flag: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(needed(value, flag));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof TurnwrightError) throw error;
  }
  return refuse(`--${flag} takes a JSON object`);
}

function refuse(why: string): never {
  throw new TurnwrightError('invalid_option', `Option "extraArgs": ${why}.`);
}
