/**
 * Agents from files: Markdown in `agents/` and its sub-folders, with fields in the frontmatter and the system
 * prompt below. A value that cannot be read costs its field; a file that is no agent is reported and skipped.
 */

import { basename, dirname, relative, sep } from 'node:path';
import { markdownBelow } from '@turnwright/base/files/folders.ts';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { AgentDefinition, AgentOrigin } from '../protocol/tools/agent.ts';
import { readDefinition } from './read-definition.ts';
import { bareName } from './select-tools.ts';

export interface AgentDirectory {
  /** Absolute path of a folder, read with its sub-folders, or of one file; need not exist. */
  readonly path: string;
  /** Source of its agents; default none. */
  readonly source?: AgentOrigin['source'] | undefined;
  /**
   * Prefix of the names of its agents, followed by a colon (a plugin's). Its sub-folders are then part of the
   * names, and every Markdown file is an agent, whatever its frontmatter says.
   */
  readonly prefix?: string | undefined;
  /** Absolute: a file that really lies outside of it is passed over. */
  readonly within?: string | undefined;
  /**
   * false: its agents only have a description and a prompt. They start no servers, run no hooks, keep no
   * memory, choose no model, and cannot use a name of a plugin's agent. Default true.
   */
  readonly trusted?: boolean | undefined;
}

interface AgentFiles {
  readonly files: Pick<PersistentFiles, 'readDir' | 'readFile' | 'realpath' | 'stat'>;
  /** Called once per broken file, and once per value that was passed over. */
  warn(line: string): void;
  /** Receives fields without effect. Absent: they are warned about one by one. */
  readonly unread?: Pick<UnreadFields, 'note'> | undefined;
  /** Of these names, those of no tool. Absent: none is known to be wrong. */
  readonly unknownTools?: ((names: readonly string[]) => readonly string[]) | undefined;
}

const MAX_BYTES = 256 * 1024;

interface FoundAgent {
  readonly definition: AgentDefinition;
  readonly path: string;
  /** Its name is in the file, and not only the file's. */
  readonly isNamed: boolean;
}

/**
 * The agents of these directories. The first directory that has a name decides; in one, the last path of
 * those files in which the name is.
 */
export async function readAgentFiles(
  directories: readonly AgentDirectory[],
  room: AgentFiles,
): Promise<readonly AgentDefinition[]> {
  const found = new Map<string, AgentDefinition>();
  for (const directory of directories) {
    const own = new Map<string, FoundAgent>();
    for (const path of await listFiles(directory, room)) {
      const agent = await readAgentFile(path, directory, room);
      if (agent === undefined) continue;
      const { name } = agent.definition;
      const other = own.get(name);
      const counts = other === undefined || goesBefore(agent, other);
      if (other !== undefined) {
        const [lost, kept] = counts ? [other.path, path] : [path, other.path];
        room.warn(`The agent file ${lost} was passed over: ${kept} has the name "${name}" too.`);
      }
      if (counts) own.set(name, agent);
    }
    for (const [name, { definition }] of own) if (!found.has(name)) found.set(name, definition);
  }
  return [...found.values()];
}

function goesBefore(one: FoundAgent, other: FoundAgent): boolean {
  return one.isNamed === other.isNamed ? one.path > other.path : one.isNamed;
}

async function listFiles({ path }: AgentDirectory, { files, warn }: AgentFiles): Promise<readonly string[]> {
  if (path.endsWith('.md') && (await files.stat(path).catch(() => undefined))?.kind === 'file') return [path];
  const { paths, tooMuch } = await markdownBelow(path, files);
  if (tooMuch !== undefined) warn(`${tooMuch}.`);
  return paths;
}

async function readAgentFile(
  path: string,
  directory: AgentDirectory,
  { files, warn, unread = { note: (file, what) => warn(`${file}: ${what}.`) }, unknownTools }: AgentFiles,
): Promise<FoundAgent | undefined> {
  const { source, prefix, within, trusted = true } = directory;
  const skip = (why: string) => warn(`The agent file ${path} was passed over: ${why}.`);
  try {
    const stat = await files.stat(path);
    if (stat?.kind !== 'file') return undefined;
    if (within !== undefined && !(await isReallyInside(path, within, files)))
      return void skip(`it lies outside of ${within}`);
    if (stat.size > MAX_BYTES) return void skip(`it is larger than ${MAX_BYTES / 1024} KB`);
    const text = new TextDecoder().decode(await files.readFile(path));
    const { fields, body, problem, unread: lostFields = [] } = await readFrontmatter(text);
    const lost = lostFields.find((field) => RESTRICTING.includes(field));
    if (lost !== undefined) return void skip(`"${lost}" cannot be read, and may restrict it`);
    if (problem !== undefined && lostFields.length === 0 && prefix === undefined) return void skip(problem);
    if (problem !== undefined) warn(`${path}: ${problem}.`);
    const isNamed = typeof fields['name'] === 'string' && fields['name'] !== '';
    const own = isNamed ? String(fields['name']) : basename(path, '.md');
    const name = prefix === undefined ? own : [prefix, ...listFolders(path, directory), own].join(':');
    const given = {
      ...(prefix !== undefined && { description: `An agent of the plugin ${prefix}` }),
      ...known(fields),
    };
    const reading = readDefinition(name, { ...given, prompt: body.trim() }, 'file');
    if (!reading.ok) return void skip(reading.problem);
    for (const warning of reading.warnings) warn(`${path}: ${warning}.`);
    for (const note of reading.notes) unread.note(path, note);
    for (const tool of unknownTools?.(toolNames(reading.definition)) ?? [])
      unread.note(path, `"tools" names ${tool}, which is no tool here`);
    const definition: AgentDefinition = {
      ...reading.definition,
      ...(source !== undefined && { from: { source, path } }),
    };
    if (trusted) return { definition, path, isNamed };
    if (name.includes(':')) return void skip('the project is not trusted, and the name is that of a plugin');
    const bare = withoutGrants(definition, (what) =>
      warn(`${path}: ${what} passed over, as the project is not trusted.`),
    );
    return { definition: bare, path, isNamed };
  } catch (error) {
    return void skip(errorText(error));
  }
}

/** They restrict an agent: without them it could do more than its author meant. */
const RESTRICTING: readonly string[] = ['tools', 'disallowedTools'];

/** A description of `null` or blanks is none. */
function known(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { description, ...others } = fields;
  return description === null || description === undefined || String(description).trim() === ''
    ? others
    : { ...others, description };
}

/** The folders between a directory and a file in it. */
function listFolders(path: string, directory: AgentDirectory): readonly string[] {
  const folder = dirname(path);
  return folder === directory.path || path === directory.path
    ? []
    : relative(directory.path, folder).split(sep);
}

/** Built-in tools that it names, without specifiers. */
function toolNames({ tools = [] }: AgentDefinition): readonly string[] {
  const names = tools.map(bareName);
  return names.filter((name) => name !== '*' && !name.startsWith('mcp__'));
}

/** Only for agents that the user trusts. */
const GRANTS = ['memory', 'model', 'effort', 'hooks'] as const;

function withoutGrants(given: AgentDefinition, refused: (what: string) => void): AgentDefinition {
  const { memory: _, model: __, effort: ___, hooks: ____, mcpServers, ...definition } = given;
  for (const field of GRANTS) if (given[field] !== undefined) refused(`"${field}" was`);
  const named = mcpServers?.filter((server) => typeof server === 'string');
  if (named?.length !== mcpServers?.length) refused('its own MCP servers were');
  return { ...definition, ...(named !== undefined && { mcpServers: named }) };
}
