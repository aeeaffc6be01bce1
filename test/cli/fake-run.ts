/** A run that is printed on a terminal which remembers what one would see on it, and messages to show there. */
import { PassThrough, Writable } from 'node:stream';
import type { SDKMessage } from '@turnwright/engine';
import {
  type AssistantBlock,
  EMPTY_USAGE,
  type StreamEvent,
} from '@turnwright/engine/protocol/model/wire.ts';
import { REAL_CLOCK } from '../../packages/cli/src/conversation/conversation-clock.ts';
import type { ProcessOutput } from '../../packages/cli/src/output.ts';
import { PrintedRun } from '../../packages/cli/src/run/printed-run.ts';
import type { World } from '../../packages/cli/src/world.ts';

export interface FakeRun {
  readonly run: PrintedRun;
  /** What a person types, where they can be asked. */
  readonly keyboard: PassThrough;
  /** Everything written, control sequences and all. */
  raw(): string;
  /** The lines a person would see. */
  seen(): string[];
  clock: { ms: number };
}

interface FakeOptions {
  readonly columns?: number;
  /** On a terminal, where a person watches. */
  readonly live?: boolean;
  readonly verbose?: boolean;
  readonly speaks?: boolean;
}

export async function fakeRun({
  columns = 80,
  live = false,
  ...options
}: FakeOptions = {}): Promise<FakeRun> {
  let written = '';
  const out: ProcessOutput = {
    async write(text) {
      written += text;
    },
    async paint(text, wipe = '') {
      written += wipe + text;
    },
  };
  const clock = { ms: 0 };
  const keyboard = new PassThrough();
  const typed = new Writable({
    write(bytes, _encoding, done) {
      written += String(bytes);
      done();
    },
  });
  const stream = Object.assign(typed, { isTTY: live, columns });
  const world = {
    env: { NO_COLOR: '1' },
    cwd: '/home/me/app',
    stdout: stream,
    stderr: stream,
    out,
    err: out,
    keyboard: () => keyboard,
    signals: { raiseInterrupt: () => {} },
  };
  const run = await PrintedRun.open(world as unknown as World, {
    ...options,
    clock: { ...REAL_CLOCK, monotonicMs: () => clock.ms },
  });
  return { run, keyboard, clock, raw: () => written, seen: () => asSeen(written) };
}

const ESC = '\x1b';
const PARTS = new RegExp(`${ESC}\\[2K|${ESC}\\[\\d+m|\\r|\\n|[^${ESC}\\r\\n]+`, 'g');

/** Plays carriage return, line feed and "erase line" on an empty screen. */
export function asSeen(written: string): string[] {
  const lines: string[] = [''];
  let column = 0;
  for (const part of written.match(PARTS) ?? []) {
    const at = lines.length - 1;
    if (part === '\n') {
      lines.push('');
      column = 0;
    } else if (part === '\r') column = 0;
    else if (part === '\x1b[2K') lines[at] = '';
    else if (!part.startsWith('\x1b')) {
      const line = (lines[at] ?? '').padEnd(column);
      lines[at] = line.slice(0, column) + part + line.slice(column + part.length);
      column += part.length;
    }
  }
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

let serial = 0;
const stamp = () => ({ uuid: `u${++serial}`, session_id: 's' });

export const say = {
  init: (): SDKMessage => ({
    type: 'system',
    subtype: 'init',
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: '2.1.332',
    turnwright_version: '0.1.0',
    cwd: '/home/me/app',
    original_cwd: '/home/me/app',
    tools: [],
    mcp_servers: [],
    model: 'claude-opus-5-5',
    permissionMode: 'default',
    slash_commands: [],
    terminal_slash_commands: [],
    served_by_anthropic: true,
    analytics_disabled: true,
    product_feedback_disabled: true,
    view_mode: 'default',
    sandbox_enabled: false,
    per_turn_effort_active: false,
    ultrathink_available: false,
    ultrathink_typed_raises: false,
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    additional_directories: [],
    fast_mode_state: 'off',
    capabilities: [],
    ...stamp(),
  }),
  event: (event: StreamEvent): SDKMessage => ({
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    ...stamp(),
  }),
  started: (id = 'm1', inputTokens = 1200): SDKMessage =>
    say.event({
      type: 'message_start',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...EMPTY_USAGE, input_tokens: inputTokens },
      },
    }),
  delta: (text: string): SDKMessage =>
    say.event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  assistant: (
    content: readonly AssistantBlock[],
    more: {
      id?: string;
      uuid?: string;
      supersedes?: readonly string[];
      parent?: string;
      error?: 'overloaded';
    } = {},
  ): SDKMessage => ({
    type: 'assistant',
    message: {
      id: more.id ?? 'm1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
      context_management: null,
    },
    parent_tool_use_id: more.parent ?? null,
    ...(more.supersedes && { supersedes: more.supersedes }),
    ...(more.error && { error: more.error }),
    ...stamp(),
    ...(more.uuid && { uuid: more.uuid }),
  }),
  text: (
    text: string,
    more: { uuid?: string; supersedes?: readonly string[]; error?: 'overloaded' } = {},
  ): SDKMessage => say.assistant([{ type: 'text', text }], more),
  call: (id: string, name: string, input: Record<string, unknown>, parent?: string): SDKMessage =>
    say.assistant([{ type: 'tool_use', id, name, input }], parent === undefined ? {} : { parent }),
  result: (id: string, content: string, isError = false): SDKMessage => ({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
    },
    parent_tool_use_id: null,
    ...stamp(),
  }),
  nudge: (retracts: readonly string[]): SDKMessage => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
    parent_tool_use_id: null,
    isSynthetic: true,
    retracted_message_uuids: retracts,
    ...stamp(),
  }),
  system: (body: { readonly subtype: string; readonly [key: string]: unknown }): SDKMessage =>
    ({ type: 'system', ...body, ...stamp() }) as SDKMessage,
};
