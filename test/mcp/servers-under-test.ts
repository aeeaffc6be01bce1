/** Real servers, spoken to by the room itself. */
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@turnwright/base/clock.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import type {
  AnyTool,
  ToolContext,
  ToolOutput,
  ToolProgress,
} from '@turnwright/engine/protocol/tools/tool.ts';
import { onTestFinished } from 'vitest';
import {
  createMcpServers,
  type McpServers,
  type McpServersOptions,
} from '../../packages/engine/src/mcp/servers/mcp-servers.ts';
import { createParser } from '../../packages/engine/src/tools/schema/from-json-schema.ts';
import { writeOneFile } from '../one-file.ts';

const folder = fileURLToPath(new URL('./servers/', import.meta.url));
/** With what it imports in one file, so that it starts in half the time. It goes with the temporary files of the run. */
export const TOOLBOX = join(mkdtempSync(join(tmpdir(), 'turnwright-toolbox-')), 'toolbox.mjs');
writeOneFile(join(folder, 'toolbox.mjs'), TOOLBOX);
export const CRUDE = join(folder, 'crude.mjs');

/** Long enough for a busy machine: no test waits for this time to pass. */
const PATIENCE_MS = 90_000;

export function stdio(script: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return { command: process.execPath, args: [script, ...args], env };
}

export interface Room extends McpServers {
  readonly warnings: readonly string[];
  readonly changes: () => number;
}

/** Connected, as far as it goes, within `startMs`; closed at the end of the test. */
export function roomOf(
  servers: Readonly<Record<string, unknown>>,
  options: Partial<McpServersOptions> = {},
): Promise<Room> {
  return openRoom(servers, options, onTestFinished);
}

/** `whenDone` is given what closes it. */
export async function openRoom(
  servers: Readonly<Record<string, unknown>>,
  options: Partial<McpServersOptions>,
  whenDone: (close: () => Promise<void>) => void,
): Promise<Room> {
  const warnings: string[] = [];
  let changes = 0;
  const room = createMcpServers({
    clock: systemClock,
    random: systemRandom,
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '' },
    isolateFor: () => undefined,
    version: '0.0.0',
    elicit: undefined,
    parserOf: createParser,
    onElicitationComplete: () => {},
    connect: (baseUrl) => openConnections({ baseUrl }),
    credentials: undefined,
    startMs: PATIENCE_MS,
    callIdleMs: PATIENCE_MS,
    taken: new Set(),
    takenServers: () => [],
    entries: Object.entries(servers).map(([name, config]) => ({ name, scope: 'option', config })),
    variables: () => ({ values: {} }),
    onChange: () => {
      changes += 1;
    },
    warn: (line) => warnings.push(line),
    onHeld: (line) => warnings.push(line),
    ...options,
  });
  whenDone(async () => room.close());
  room.start();
  await room.settled(new AbortController().signal);
  return Object.defineProperties(room as Room, {
    warnings: { value: warnings },
    changes: { value: () => changes },
  });
}

export function toolIn(room: McpServers, name: string): AnyTool {
  const found = room.tools.find((tool) => tool.name === name);
  if (found === undefined)
    throw new Error(`No ${name} among ${room.tools.map((tool) => tool.name).join(', ')}`);
  return found;
}

/** Runs a tool to its end. */
export async function call(
  tool: AnyTool,
  input: unknown = {},
  signal: AbortSignal = new AbortController().signal,
  onProgress: (progress: ToolProgress) => Promise<void> | void = () => {},
): Promise<{
  readonly output: ToolOutput;
  readonly text: string;
  readonly progress: readonly ToolProgress[];
}> {
  const progress: ToolProgress[] = [];
  const running = tool.run(input, contextOf(signal));
  let output: ToolOutput;
  if ('next' in running) {
    let step = await running.next();
    while (step.done !== true) {
      progress.push(step.value);
      await onProgress(step.value);
      step = await running.next();
    }
    output = step.value;
  } else output = await running;
  return { output, progress, text: textOf(output) };
}

function textOf({ content }: ToolOutput): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
}

function contextOf(signal: AbortSignal): ToolContext {
  return { signal, toolUseId: 'toolu_1', effectKey: 's/1/0/tool/toolu_1' } as ToolContext;
}

export async function temporaryFile(name: string): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'turnwright-mcp-')), name);
}

export async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Looks again until it is so; the test's own limit ends it otherwise. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  while (true) {
    const found = await look();
    if (found) return found as NonNullable<T>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
