/**
 * Validates `plugin.json`: problems are reported one by one, and an invalid part does not affect the others.
 */
import { errorText } from '../util/text/error-text.ts';

export interface Manifest {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** Paths as written, in addition to the default folders. */
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly outputStyles: readonly string[];
  /** A path, or the value itself. */
  readonly hooks: unknown;
  readonly mcpServers: unknown;
  readonly problems: readonly string[];
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
  commands: [],
  agents: [],
  skills: [],
  outputStyles: [],
  hooks: undefined,
  mcpServers: undefined,
  problems: [],
};

export function parseManifest(text: string): ParsedManifest {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
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
  const paths = (key: string): readonly string[] => {
    const given = value[key];
    if (given === undefined) return [];
    const list = Array.isArray(given) ? given : [given];
    if (list.every((each) => typeof each === 'string')) return list;
    problems.push(`"${key}" must be a path or a list of paths`);
    return [];
  };
  return {
    ok: true,
    manifest: {
      name,
      version: typeof version === 'string' ? version : undefined,
      description: typeof description === 'string' ? description : undefined,
      commands: paths('commands'),
      agents: paths('agents'),
      skills: paths('skills'),
      outputStyles: paths('outputStyles'),
      hooks: value['hooks'],
      mcpServers: value['mcpServers'],
      problems,
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
