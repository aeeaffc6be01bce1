/**
 * Agents from files: `agents/*.md`, with fields in the frontmatter and the system prompt below. A broken file
 * is reported and skipped.
 */

import { basename } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { AgentDefinition, AgentOrigin } from '../protocol/tools/agent.ts';
import { markdownIn } from '../util/files/folders.ts';
import { errorText } from '../util/text/error-text.ts';
import { readFrontmatter } from '../util/text/frontmatter.ts';
import type { UnreadFields } from '../util/text/unread-fields.ts';
import { readDefinition } from './read-definition.ts';

export interface AgentDirectory {
  /** Absolute path; need not exist. */
  readonly path: string;
  /** Source of its agents; default none. */
  readonly source?: AgentOrigin['source'] | undefined;
  /** Prefix of the names of its agents, followed by a colon (a plugin's). */
  readonly prefix?: string | undefined;
  /**
   * false: its agents only have a description and a prompt. They start no servers, keep no memory, choose no
   * model, and cannot use a name of a plugin's agent. Default true.
   */
  readonly trusted?: boolean | undefined;
}

interface AgentFiles {
  readonly files: Pick<PersistentFiles, 'readDir' | 'readFile' | 'stat'>;
  /** Called once per broken file. */
  warn(line: string): void;
  /** Receives fields without effect. Absent: they are warned about one by one. */
  readonly unread?: Pick<UnreadFields, 'note'> | undefined;
}

const MAX_BYTES = 256 * 1024;

/** The agents of these directories; the first of a name counts. */
export async function readAgentFiles(
  directories: readonly AgentDirectory[],
  room: AgentFiles,
): Promise<readonly AgentDefinition[]> {
  const found = new Map<string, AgentDefinition>();
  for (const directory of directories) {
    for (const path of await markdownIn(directory.path, room.files)) {
      const definition = await readAgentFile(path, directory, room);
      if (definition !== undefined && !found.has(definition.name)) found.set(definition.name, definition);
    }
  }
  return [...found.values()];
}

async function readAgentFile(
  path: string,
  { source, prefix, trusted = true }: AgentDirectory,
  { files, warn, unread = { note: (file, what) => warn(`${file}: ${what}.`) } }: AgentFiles,
): Promise<AgentDefinition | undefined> {
  const skip = (why: string) => warn(`The agent file ${path} was passed over: ${why}.`);
  try {
    const stat = await files.stat(path);
    if (stat?.kind !== 'file') return undefined;
    if (stat.size > MAX_BYTES) return void skip(`it is larger than ${MAX_BYTES / 1024} KB`);
    const text = new TextDecoder().decode(await files.readFile(path));
    const { fields, body, problem } = await readFrontmatter(text);
    if (problem !== undefined) return void skip(problem);
    const own = typeof fields['name'] === 'string' ? fields['name'] : basename(path, '.md');
    const name = prefix === undefined ? own : `${prefix}:${own}`;
    const reading = readDefinition(name, { ...fields, prompt: body.trim() });
    if (!reading.ok) return void skip(reading.problem);
    for (const warning of reading.warnings) unread.note(path, warning);
    const definition: AgentDefinition = {
      ...reading.definition,
      ...(source !== undefined && { from: { source, path } }),
    };
    if (trusted) return definition;
    if (name.includes(':')) return void skip('the project is not trusted, and the name is that of a plugin');
    return withoutGrants(definition, (what) =>
      warn(`${path}: ${what} passed over, as the project is not trusted.`),
    );
  } catch (error) {
    return void skip(errorText(error));
  }
}

/** Memory, model and effort: only for agents that the user trusts. */
const GRANTS = ['memory', 'model', 'effort'] as const;

function withoutGrants(given: AgentDefinition, refused: (what: string) => void): AgentDefinition {
  const { memory: _, model: __, effort: ___, mcpServers, ...definition } = given;
  for (const field of GRANTS) if (given[field] !== undefined) refused(`"${field}" was`);
  const named = mcpServers?.filter((server) => typeof server === 'string');
  if (named?.length !== mcpServers?.length) refused('its own MCP servers were');
  return { ...definition, ...(named !== undefined && { mcpServers: named }) };
}
