/** Configurations of language servers: those of plugins, settings and hosts have the same fields. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { LanguageServerConfig } from '../protocol/tools/language.ts';

/** A server that can be started. */
export interface LanguageServerEntry {
  /** `plugin:<plugin>:<server>` for one that a plugin brings. */
  readonly name: string;
  readonly config: LanguageServerConfig;
}

type ReadLanguageServer =
  | { readonly ok: true; readonly config: LanguageServerConfig }
  /** The end of a sentence that begins with the server. */
  | { readonly ok: false; readonly problem: string };

type Expand = (text: string) => string | undefined;

const isText = (value: unknown): value is string => typeof value === 'string';
const isWord = (value: unknown): value is string => isText(value) && value.trim() !== '';
const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(isText);
const isMs = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0;

const problem = (text: string): ReadLanguageServer => ({ ok: false, problem: text });

/**
 * `${VAR}` and `${VAR:-default}` in the command, its arguments and variables are replaced from `values`.
 * Other fields are left as they are. Never throws.
 */
export function readLanguageServer(
  value: unknown,
  values: Readonly<Record<string, string | undefined>>,
): ReadLanguageServer {
  if (!isRecord(value)) return problem('is not an object');
  const { command, args = [], env = {}, extensionToLanguage, transport = 'stdio' } = value;
  const { startupTimeout, maxRestarts, restartOnCrash, workspaceFolder, settings } = value;
  if (!isWord(command)) return problem('needs a "command"');
  if (transport !== 'stdio') return problem('must speak over its standard streams ("transport": "stdio")');
  if (!Array.isArray(args) || !args.every(isText)) return problem('must have a list of texts as "args"');
  if (!isTextRecord(env)) return problem('must have texts by name as "env"');
  const languages = isTextRecord(extensionToLanguage) ? Object.entries(extensionToLanguage) : [];
  if (languages.length === 0 || !languages.every(([ending]) => /^\.?[^./\\\s][^/\\\s]*$/.test(ending)))
    return problem('needs "extensionToLanguage", as in { ".go": "go" }');
  if (startupTimeout !== undefined && !isMs(startupTimeout))
    return problem('must have a number of milliseconds above 0 as "startupTimeout"');
  if (maxRestarts !== undefined && !(Number.isSafeInteger(maxRestarts) && Number(maxRestarts) >= 0))
    return problem('must have a whole number as "maxRestarts"');
  if (workspaceFolder !== undefined && !isWord(workspaceFolder))
    return problem('must have a folder as "workspaceFolder"');
  const unset = new Set<string>();
  const expand: Expand = (text) =>
    text.replace(VARIABLE, (whole, name: string, fallback: string | undefined) => {
      const held = values[name];
      if (held !== undefined && (held !== '' || fallback === undefined)) return held;
      if (fallback === undefined) unset.add(name);
      return fallback ?? whole;
    });
  const config: LanguageServerConfig = {
    command: expand(command) as string,
    args: args.map((each) => expand(each) as string),
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, expand(text) as string])),
    extensionToLanguage: Object.fromEntries(
      languages.map(([ending, language]) => [
        (ending.startsWith('.') ? ending : `.${ending}`).toLowerCase(),
        language,
      ]),
    ),
    ...(value['initializationOptions'] !== undefined && {
      initializationOptions: value['initializationOptions'],
    }),
    ...(isRecord(settings) && { settings }),
    ...(isMs(startupTimeout) && { startupTimeout }),
    ...(maxRestarts !== undefined && { maxRestarts: Number(maxRestarts) }),
    ...(typeof restartOnCrash === 'boolean' && { restartOnCrash }),
    ...(isWord(workspaceFolder) && { workspaceFolder }),
  };
  if (unset.size > 0)
    return problem(
      `names variables that are not set, or that programs are not given: ${[...unset].join(', ')}`,
    );
  return { ok: true, config };
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
