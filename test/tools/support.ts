/** What tests of the tools room share: a context over a real temp folder, gate ports that allow all, calls, a driver. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { TodoItem } from '@turnwright/engine/protocol/model/attachment.ts';
import type { GatePorts } from '@turnwright/engine/protocol/tools/gate-ports.ts';
import {
  type HookEvent,
  type HookPort,
  type HookVerdict,
  NO_HOOK_VERDICT,
} from '@turnwright/engine/protocol/tools/hook.ts';
import type { GateVerdict } from '@turnwright/engine/protocol/tools/permission.ts';
import type {
  AnyTool,
  ReadFileState,
  Tool,
  ToolContext,
  ToolOutput,
  ToolProgress,
} from '@turnwright/engine/protocol/tools/tool.ts';
import type { ToolCall, ToolExecutor, ToolUpdate } from '@turnwright/engine/protocol/tools/tool-call.ts';
import { StreamingToolExecutor, type ToolExecutorOptions } from '../../packages/engine/src/tools/executor.ts';
import { createToolSet } from '../../packages/engine/src/tools/tool-set.ts';

export type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

export async function tempFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-tools-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export function contextIn(cwd: string, overrides: Partial<ToolContext> = {}): ToolContext {
  const seen = new Map<string, ReadFileState>();
  let todos: readonly TodoItem[] = [];
  return {
    sessionId: 'session',
    cwd,
    additionalDirectories: [],
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd },
    signal: new AbortController().signal,
    toolUseId: 'toolu_1',
    effectKey: 'sub/1/1/tool/toolu_1',
    queryTracking: { chainId: 'chain', depth: 0 },
    files: nodeFiles,
    readFileCache: {
      get: (path) => seen.get(path),
      set: (path, state) => void seen.set(path, state),
      delete: (path) => void seen.delete(path),
      entries: () => seen.entries(),
    },
    todos: {
      get: () => todos,
      set: (next) => {
        todos = next;
      },
    },
    async spillFile(name) {
      await mkdir(join(cwd, 'tool-results'), { recursive: true });
      return join(cwd, 'tool-results', name);
    },
    nowMs: () => Date.now(),
    sessionSignal: new AbortController().signal,
    ...overrides,
  };
}

/** Runs a tool directly, past the gate. */
export async function runDirectly<Output>(
  tool: Tool<never, Output> | AnyTool,
  input: unknown,
  context: ToolContext,
): Promise<{ output: ToolOutput<Output>; progress: ToolProgress[] }> {
  const progress: ToolProgress[] = [];
  const running = (tool as AnyTool).run(input, context);
  if (running instanceof Promise) return { output: await running, progress };
  while (true) {
    const step = await running.next();
    if (step.done) return { output: step.value, progress };
    progress.push(step.value);
  }
}

export const textOf = (output: ToolOutput) =>
  typeof output.content === 'string' ? output.content : JSON.stringify(output.content);

let calls = 0;
export function callOf(name: string, input: unknown = {}, extra: Partial<ToolCall> = {}): ToolCall {
  calls += 1;
  const id = `toolu_${calls}`;
  return {
    block: { type: 'tool_use', id, name, input: input as Record<string, unknown> },
    assistantUuid: randomUUID(),
    effectKey: `sub/1/1/tool/${id}`,
    ...extra,
  };
}

/** A tool whose input is not looked at. */
export function toolOf(name: string, parts: Partial<AnyTool> = {}): AnyTool {
  return {
    name,
    inputJsonSchema: { type: 'object' },
    description: () => name,
    parse: (input) => ({ ok: true, input }),
    run: async () => ({ data: null, content: `${name} ran` }),
    ...parts,
  };
}

export function hooksOf(
  handlers: Partial<
    Record<HookEvent, (call: Record<string, unknown>) => Partial<HookVerdict> | Promise<Partial<HookVerdict>>>
  >,
): HookPort {
  return {
    has: (event) => handlers[event] !== undefined,
    async run(call) {
      const handler = handlers[call.event];
      return { ...NO_HOOK_VERDICT, ...(await handler?.(call as unknown as Record<string, unknown>)) };
    },
  };
}

export const ALLOW: GateVerdict = { kind: 'allow', reasonType: 'mode' };

export function gateOf(
  parts: Partial<Omit<GatePorts, 'permissions'>> & { decide?: GatePorts['permissions']['decide'] } = {},
): GatePorts {
  const { decide, ...ports } = parts;
  return {
    permissions: { decide: decide ?? (async () => ALLOW) },
    ask: async () => ({ behavior: 'deny', message: 'nobody is there to ask' }),
    hooks: hooksOf({}),
    recordIntent: async () => {},
    ...ports,
  };
}

export function executorOf(
  tools: readonly AnyTool[],
  parts: Partial<ToolExecutorOptions> = {},
): StreamingToolExecutor {
  return new StreamingToolExecutor({
    tools: createToolSet(tools),
    gate: gateOf(),
    makeContext: (call, { signal }) =>
      contextIn('/', { signal, toolUseId: call.block.id, effectKey: call.effectKey }),
    onModifyContext: () => {},
    clock: systemClock,
    ids: systemIds,
    ...parts,
  });
}

/** Takes everything until nothing is open. */
export async function drain(executor: ToolExecutor): Promise<ToolUpdate[]> {
  const updates: ToolUpdate[] = [];
  while (executor.open > 0) {
    await executor.ready();
    updates.push(...executor.take());
  }
  return updates;
}

export const resultsOf = (updates: readonly ToolUpdate[]): ResultUpdate[] =>
  updates.filter((update): update is ResultUpdate => update.kind === 'result');

/** One call through executor and gate. */
export async function once(executor: ToolExecutor, call: ToolCall): Promise<ResultUpdate> {
  executor.add(call);
  executor.delivered(call.block.id);
  const [result] = resultsOf(await drain(executor));
  if (result === undefined) throw new Error('no result');
  return result;
}

/** The tool_result of an update. */
export function answerOf(update: ResultUpdate): { text: string; isError: boolean; id: string } {
  const [block] = update.message.message.content as readonly {
    type: string;
    tool_use_id: string;
    content: unknown;
    is_error?: boolean;
  }[];
  if (block?.type !== 'tool_result') throw new Error('not a tool_result');
  const { content } = block;
  return {
    text: typeof content === 'string' ? content : JSON.stringify(content),
    isError: block.is_error === true,
    id: block.tool_use_id,
  };
}

/** Running, and not merely waiting for its parent to notice that it is dead. */
export function isRunning(pid: number): boolean {
  if (!(pid > 0)) throw new Error('no process id');
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    try {
      return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
    } catch {
      return false;
    }
  }
}

/** Holds no half of a surrogate pair, which UTF-8 cannot carry. */
export const isWellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8') === text;

/** Runs calls whose blocks the consumer has already taken (a response that did not stream), in the model's order. */
export async function* runTools(
  executor: ToolExecutor,
  calls: readonly ToolCall[],
): AsyncGenerator<ToolUpdate, void> {
  for (const call of calls) {
    executor.add(call);
    executor.delivered(call.block.id);
  }
  while (executor.open > 0) {
    await executor.ready();
    yield* executor.take();
  }
}
