/** R12: something writes a gigabyte. The process stays small, and what was cut off is said. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

const MB = 1024 ** 2;
const MOST_MB = 32;
const SERVER = join(import.meta.dirname, '../programs/flooding-server.mjs');

interface Flood {
  /** What the model calls first, for so many bytes. */
  readonly call?: (bytes: number) => ReturnType<typeof toolUse>;
  readonly options?: (bytes: number) => Options;
  /** What the model, or the consumer, is told. */
  readonly says: RegExp;
  /** Bytes; default those of the run. */
  readonly bytes?: number;
  /** The answer of the model itself. */
  readonly answer?: 'event' | 'error';
}

interface Measured {
  readonly growth: number;
  readonly subtype: string;
  readonly said: string;
}

const write = (bytes: number, end = '') => `head -c ${bytes} /dev/zero | tr '\\0' x${end}`;
const server = (where: string): Omit<Flood, 'says'> => ({
  call: (bytes) => toolUse('mcp__flood__flood', { bytes }),
  options: () => ({ mcpServers: { flood: { command: process.execPath, args: [SERVER, where] } }, tools: [] }),
});
const BASH = { options: () => ({ tools: ['Bash'] }) };

const FLOODS: Readonly<Record<string, Flood>> = {
  'a command that writes one line': {
    ...BASH,
    call: (bytes) => toolUse('Bash', { command: write(bytes) }),
    says: /too large|truncated|first/i,
  },
  'a command that writes lines': {
    ...BASH,
    call: (bytes) => toolUse('Bash', { command: `yes 'a line of output' | head -c ${bytes}` }),
    says: /too large|truncated|first/i,
  },
  'a command that writes errors': {
    ...BASH,
    call: (bytes) => toolUse('Bash', { command: write(bytes, ' >&2') }),
    says: /too large|truncated|first/i,
  },
  'stderr of a server': { ...server('stderr'), says: /done/ },
  'a server that never ends its line': { ...server('stdout'), says: /more than 16 MB/ },
  'a server that prints lines': { ...server('lines'), says: /done/ },
  'a hook': {
    options: (bytes) => ({
      settings: { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: write(bytes) }] }] } },
      tools: [],
    }),
    says: /./,
  },
  'a sparse file': {
    options: () => ({ tools: ['Read'] }),
    call: (bytes) => toolUse('Read', { file_path: bytes > MB ? 'sparse' : 'small' }),
    says: /files above \d+ bytes are not read/,
  },
  'an event of the stream': { answer: 'event', bytes: 64 * MB, says: /too large/ },
  'an answer that is an error': { answer: 'error', says: /400|error/i },
};

row('R12', async ({ figures, size }) => {
  const bytes = size(64 * MB, 1024 * MB);
  const unsaid: string[] = [];
  const grown: string[] = [];
  let kinds = 0;
  let most = 0;
  for (const [name, flood] of Object.entries(FLOODS)) {
    const { measured, told } = await flooded(flood, flood.bytes ?? bytes);
    const growth = measured.growth / MB;
    most = Math.max(most, growth);
    kinds++;
    if (growth > MOST_MB) grown.push(`${name}: ${growth.toFixed(1)} MB`);
    if (!flood.says.test(told + measured.said))
      unsaid.push(`${name}: ${measured.subtype} ${measured.said} ${told.slice(0, 300)}`);
  }
  figures.atLeast('kinds of floods', kinds, 10);
  figures.atLeast('of each', bytes / MB, size(64, 1024), 'MB');
  figures.atMost('most that the resident set has grown', most, MOST_MB, 'MB');
  figures.none('floods that took more', grown);
  figures.none('floods that were cut off without a word', unsaid);
});

async function flooded(
  { call, options, answer }: Flood,
  bytes: number,
): Promise<{ readonly measured: Measured; readonly told: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'flood-'));
  const work = join(folder, 'work');
  mkdirSync(work);
  for (const name of ['small', 'sparse']) writeFileSync(join(work, name), 'x\n');
  truncateSync(join(work, 'sparse'), 10 * 1024 * MB);
  const model = answer === undefined ? await rehearsed(call) : await flooding(answer);
  const order = {
    url: model.url,
    folder,
    warmUp: `${answer === undefined ? MB / 4 : 1000} bytes`,
    prompt: `${bytes} bytes`,
    options: options?.(bytes) ?? { tools: [] },
  };
  try {
    for await (const measured of linesOf<Measured>('output-floods.mjs', order, ['--expose-gc']))
      return { measured, told: model.told() };
    throw new Error('The program has said nothing.');
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Model {
  readonly url: string;
  /** The last tool result. */
  told(): string;
  close(): Promise<void>;
}

const bytesOf = (prompt: string) => Number(/(\d+) bytes/.exec(prompt)?.[1]);

async function rehearsed(call: Flood['call']): Promise<Model> {
  const rehearsal: RehearsalServer = await startRehearsal();
  let told = '';
  rehearsal.setScenario((request) => {
    told = request.lastResult ?? request.lastMessage;
    return call === undefined || request.lastResult !== undefined
      ? reply('Done.')
      : reply(call(bytesOf(request.firstUserMessage)));
  });
  return { url: rehearsal.url, told: () => told, close: () => rehearsal.close() };
}

const USAGE = '"usage":{"input_tokens":1,"output_tokens":1}';
const ANSWER = [
  `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":null,"stop_sequence":null,${USAGE}}}`,
  '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Done."}}',
  '{"type":"content_block_stop","index":0}',
  `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},${USAGE}}`,
  '{"type":"message_stop"}',
]
  .map((data) => `data: ${data}\n\n`)
  .join('');

/** A model whose answer is so large itself. */
async function flooding(kind: 'event' | 'error'): Promise<Model> {
  const chunk = Buffer.alloc(MB, 'x');
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', async () => {
      const bytes = bytesOf(body);
      response.writeHead(kind === 'event' ? 200 : 400, {
        'content-type': kind === 'event' ? 'text/event-stream' : 'application/json',
      });
      response.on('error', () => {});
      if (kind === 'event') response.write(bytes < MB ? ANSWER : 'data: {"type":"message_start","x":"');
      for (let sent = 0; sent < bytes && bytes >= MB && !response.destroyed; sent += MB)
        if (!response.write(chunk))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      response.end(kind === 'event' && bytes >= MB ? '"}\n\n' : '');
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    told: () => '',
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
