/** Agents from files: `agents/*.md`, the fields at the head, the system prompt below. A broken file is named and passed over. */
import { basename } from 'node:path';
import type { AgentDefinition, AgentOrigin } from '../protocol/agent.ts';
import type { PersistentFiles } from '../protocol/files.ts';
import { markdownIn } from '../util/folders.ts';
import { readFrontmatter } from '../util/frontmatter.ts';
import { readDefinition } from './read-definition.ts';

export interface AgentDirectory {
  /** Absolute; need not exist. */
  readonly path: string;
  /** What its agents say they are from; default nothing. */
  readonly source?: AgentOrigin['source'] | undefined;
  /** Stands before the names of its agents, with a colon between (a plugin's). */
  readonly prefix?: string | undefined;
  /** false: its agents may name servers of the session, and bring none along. Default true. */
  readonly mayStartServers?: boolean | undefined;
}

export interface AgentFiles {
  readonly files: Pick<PersistentFiles, 'readDir' | 'readFile' | 'stat'>;
  /** One line per file that is broken, and per field that has no effect. */
  warn(line: string): void;
}

const MAX_BYTES = 256 * 1024;

/** The agents of these directories; of two with one name the first counts. */
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
  { source, prefix, mayStartServers = true }: AgentDirectory,
  { files, warn }: AgentFiles,
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
    for (const warning of reading.warnings) warn(`${path}: ${warning}.`);
    const definition: AgentDefinition = {
      ...reading.definition,
      ...(source !== undefined && { from: { source, path } }),
    };
    const named = definition.mcpServers?.filter((server) => typeof server === 'string');
    if (mayStartServers || named?.length === definition.mcpServers?.length) return definition;
    warn(`${path}: its MCP servers are not started, as the project is not trusted.`);
    return { ...definition, mcpServers: named };
  } catch (error) {
    return void skip(error instanceof Error ? error.message : String(error));
  }
}
