/**
 * Validates `plugin.json`: problems are reported one by one, and an invalid part does not affect the others.
 */
import { readHandWrittenJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';

export interface Manifest {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** Paths as written, of files and folders, in the place of the default folder; undefined: that one. */
  readonly commands: readonly string[] | undefined;
  readonly agents: readonly string[] | undefined;
  readonly outputStyles: readonly string[] | undefined;
  /** By the names that they get. */
  readonly namedCommands: Readonly<Record<string, NamedCommand>>;
  /** In addition to the default folder. */
  readonly skills: readonly string[];
  /** Paths of files, and values themselves. */
  readonly hooks: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly mcpServers: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly lspServers: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly problems: readonly string[];
}

/** A command that the manifest describes itself; what it says wins over its file. */
export interface NamedCommand {
  /** As written. */
  readonly source?: string;
  readonly content?: string;
  readonly description?: string;
  readonly argumentHint?: string;
  readonly model?: string;
  readonly allowedTools?: readonly string[];
}

type ParsedManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problem: string };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isPluginName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}

export const NO_MANIFEST: Manifest = {
  name: undefined,
  version: undefined,
  description: undefined,
  commands: undefined,
  agents: undefined,
  outputStyles: undefined,
  namedCommands: {},
  skills: [],
  hooks: [],
  mcpServers: [],
  lspServers: [],
  problems: [],
};

export function parseManifest(text: string): ParsedManifest {
  let value: unknown;
  try {
    value = readHandWrittenJson(text);
  } catch (error) {
    return { ok: false, problem: `is not JSON: ${errorText(error)}` };
  }
  if (!isRecord(value)) return { ok: false, problem: 'is not an object' };
  const { name, version, description } = value;
  if (!isPluginName(name))
    return {
      ok: false,
      problem: 'needs a "name" of letters, digits, "-", "_" and ".", at most 64 characters long',
    };
  const problems: string[] = [];
  /** What is no path costs itself alone. */
  const listed = <T>(
    key: string,
    what: string,
    test: (each: unknown) => each is T,
  ): readonly T[] | undefined => {
    const given: unknown = value[key];
    if (given === undefined) return undefined;
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    const read = list.filter(test);
    if (read.length < list.length) problems.push(`"${key}" must be ${what}`);
    return read;
  };
  const paths = (key: string) => listed(key, 'a path or a list of paths', isPath);
  const values = (key: string) =>
    listed(key, 'a path, an object, or a list of them', (each) => isPath(each) || isRecord(each)) ?? [];
  const isNamed = isRecord(value['commands']);
  return {
    ok: true,
    manifest: {
      name,
      version: typeof version === 'string' ? version : undefined,
      description: typeof description === 'string' ? description : undefined,
      commands: isNamed ? [] : paths('commands'),
      agents: paths('agents'),
      outputStyles: paths('outputStyles'),
      namedCommands: isNamed ? namedCommands(value['commands'], problems) : {},
      skills: paths('skills') ?? [],
      hooks: values('hooks'),
      mcpServers: values('mcpServers'),
      lspServers: values('lspServers'),
      problems,
    },
  };
}

const isPath = (value: unknown): value is string => typeof value === 'string' && value !== '';

const COMMAND_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,99}$/u;

function namedCommands(given: unknown, problems: string[]): Readonly<Record<string, NamedCommand>> {
  const read = new Map<string, NamedCommand>();
  for (const [name, command] of Object.entries(given as Record<string, unknown>)) {
    const from = isPath(command) ? { source: command } : command;
    const { source, content, description, argumentHint, model, allowedTools } = isRecord(from) ? from : {};
    if (!COMMAND_NAME.test(name) || isPath(source) === isPath(content)) {
      problems.push(
        `"commands.${name}" must have a name without blanks, and either "source", a path, or "content", a text`,
      );
      continue;
    }
    read.set(name, {
      ...(isPath(source) && { source }),
      ...(isPath(content) && { content }),
      ...(isPath(description) && { description }),
      ...(isPath(argumentHint) && { argumentHint }),
      ...(isPath(model) && { model }),
      ...(Array.isArray(allowedTools) && { allowedTools: allowedTools.filter(isPath) }),
    });
  }
  return Object.fromEntries(read);
}
