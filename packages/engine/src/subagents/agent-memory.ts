/** Notes of an agent for its next run: a folder of its own, whose `MEMORY.md` is loaded at the start. */
import { dirname, join } from 'node:path';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';

export interface AgentMemoryPlaces {
  /** Folder of the project's own files. */
  readonly projectRoot: string;
  /** The configuration home; undefined if there is none. */
  readonly configHome: string | undefined;
}

type AgentMemory =
  | {
      readonly ok: true;
      /** Folder that the agent may read and write; need not exist. */
      readonly folder: string;
      /** Part of the system prompt. */
      readonly prompt: string;
    }
  /** A sentence. */
  | { readonly ok: false; readonly problem: string };

const INDEX = 'MEMORY.md';
const MAX_BYTES = 24 * 1024;

/** undefined: its definition requests none. Never rejects. */
export async function readAgentMemory(
  definition: Pick<AgentDefinition, 'name' | 'memory'>,
  places: AgentMemoryPlaces,
  files: Pick<PersistentFiles, 'readRange' | 'realpath' | 'stat'>,
): Promise<AgentMemory | undefined> {
  const { name, memory } = definition;
  if (memory === undefined) return undefined;
  const root = memory === 'user' ? places.configHome : places.projectRoot;
  if (root === undefined)
    return {
      ok: false,
      problem: `The agent "${name}" has no memory: there is no configuration home to keep it in.`,
    };
  const folder = join(root, FOLDERS[memory], name.replace(/[^\p{L}\p{N}_.-]/gu, '-'));
  if (!(await isReallyInside(await nearest(folder, files), root, files)))
    return { ok: false, problem: `The agent "${name}" has no memory: ${folder} leads out of ${root}.` };
  return { ok: true, folder, prompt: await memoryPrompt(folder, files, root) };
}

/** Instructions for the folder, and its index. `root`: the index counts only if it is really in there. */
export async function memoryPrompt(
  folder: string,
  files: Pick<PersistentFiles, 'readRange' | 'realpath' | 'stat'>,
  root: string = folder,
): Promise<string> {
  const index = join(folder, INDEX);
  const isOwn = await isReallyInside(index, root, files);
  const bytes = isOwn ? await files.readRange(index, 0, MAX_BYTES + 1).catch(() => undefined) : undefined;
  const text = bytes && new TextDecoder().decode(bytes.subarray(0, MAX_BYTES)).trim();
  const cut = bytes !== undefined && bytes.length > MAX_BYTES ? `\n… (cut off; the rest is in ${index})` : '';
  const said = text ? `It says now:\n\n${text}${cut}` : 'There is nothing in it yet.';
  return `# Your memory
The folder ${folder} is yours: what you write there you will find again when you are next asked to work. Note down what
will help then: how this place works, what was decided and why, what went wrong. Correct what turns out to be wrong. Keep
${INDEX} short, with the most useful things and a line for every other file. ${said}`;
}

/** By scope. */
const FOLDERS = {
  user: 'agent-memory',
  project: join('.claude', 'agent-memory'),
  local: join('.claude', 'agent-memory-local'),
} as const;

/** The folder, or its nearest existing parent. */
async function nearest(folder: string, files: Pick<PersistentFiles, 'stat'>): Promise<string> {
  let at = folder;
  while ((await files.stat(at).catch(() => undefined)) === undefined && dirname(at) !== at) at = dirname(at);
  return at;
}
