/** A result above its tool's limit: in a file before the journal names it, and nowhere else whole. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSdkMcpServer, getSessionMessages, query, type SDKMessage, tool } from '../../src/index.ts';

const LINE = 'One of very many lines.\n';
const LONG = LINE.repeat(2_000);

interface Told {
  readonly content: unknown;
  readonly output: unknown;
}

function resultTold(messages: readonly SDKMessage[]): Told {
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    const [block] = message.message.content;
    if (block?.type === 'tool_result') return { content: block.content, output: message.tool_use_result };
  }
  throw new Error('no result was told');
}

/** What the model was shown of the result in this request. */
function resultSent(server: RehearsalServer, request: number): unknown {
  const body = server.requests[request]?.body as {
    readonly messages: readonly { readonly content: unknown }[];
  };
  const blocks = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.find(({ type }) => type === 'tool_result')?.content;
}

function journalOf(home: string): { readonly lines: string[]; readonly folder: string } {
  const [project] = readdirSync(join(home, 'projects'));
  const folder = join(home, 'projects', project as string);
  const file = readdirSync(folder).find((name) => name.endsWith('.jsonl')) as string;
  return { lines: readFileSync(join(folder, file), 'utf8').trim().split('\n'), folder };
}

/** The path in a preview, also where the preview is JSON. */
const STORED_IN = /All of it is stored in: ([^ \\]+\.json)/;

async function setting(output: object = { content: [{ type: 'text', text: LONG }] }) {
  const server = await startRehearsal();
  const home = mkdtempSync(join(tmpdir(), 'turnwright-large-'));
  onTestFinished(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const tell = tool('tell', 'Tells much.', {}, async () => output as never, {
    annotations: { readOnlyHint: true },
  });
  const hooked: unknown[] = [];
  const note = async (input: unknown) => {
    hooked.push(input);
    return {};
  };
  const run = (prompt: string, more: { resume?: string; files?: PersistentFiles } = {}) => {
    const { files, ...options } = more;
    return gather(
      query({
        prompt,
        options: {
          cwd: home,
          env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home },
          tools: [],
          mcpServers: { t: createSdkMcpServer({ name: 't', tools: [tell] }) },
          allowedTools: ['mcp__t__tell'],
          hooks: { PostToolUse: [{ hooks: [note] }], PostToolBatch: [{ hooks: [note] }] },
          ...(files !== undefined && { engine: { files } }),
          ...options,
        },
      }),
    );
  };
  const play = (...replies: Parameters<typeof reply>[0][]) =>
    server.setScenario({ name: 'test', replies: replies.map((each) => reply(each)) });
  return { server, home, hooked, run, play };
}

describe('a result above its limit', () => {
  it('is in its file, complete, before the journal has a preview that names it', async () => {
    const { server, home, hooked, run, play } = await setting();
    let wholeOnRecord = 0;
    const filesThen: (string | undefined)[] = [];
    const files: PersistentFiles = {
      ...nodeFiles,
      async openAppend(path, mode): Promise<AppendHandle> {
        const handle = await nodeFiles.openAppend(path, mode);
        return {
          append(data) {
            const text = Buffer.from(data).toString();
            if (text.includes(LINE.repeat(200).trim().replaceAll('\n', '\\n'))) wholeOnRecord += 1;
            const named = STORED_IN.exec(text)?.[1];
            if (named !== undefined) filesThen.push(readFileSync(named, 'utf8'));
            return handle.append(data);
          },
          size: () => handle.size(),
          sync: () => handle.sync(),
          close: () => handle.close(),
        };
      },
    };
    play(toolUse('mcp__t__tell'), 'Read.');
    const { messages, results } = await run('Tell.', { files });

    expect(results).toMatchObject([{ subtype: 'success', result: 'Read.' }]);
    expect(filesThen).toEqual([JSON.stringify([{ type: 'text', text: LONG }], undefined, 2)]);
    expect(wholeOnRecord).toBe(0);
    const told = resultTold(messages);
    expect(JSON.stringify(told.content)).toContain('All of it is stored in: ');
    expect(told.output).toEqual([{ type: 'text', text: LONG }]);
    expect(resultSent(server, 1)).toEqual(told.content);
    expect(hooked).toMatchObject([
      { hook_event_name: 'PostToolUse', tool_response: [{ text: LONG }] },
      { hook_event_name: 'PostToolBatch', tool_calls: [{ tool_response: told.content }] },
    ]);
    const { lines } = journalOf(home);
    expect(lines.some((line) => line.includes('"type":"replacement"'))).toBe(false);
  });

  it.each(['', '"', '\\', '\n', '\u0001', '\u007f', 'é', '\u2028', '😀'])(
    'is in its file as JSON, with %j behind 100 KB',
    async (character) => {
      const text = `${'x'.repeat(100_000)}${character}${'y'.repeat(100_000)}`;
      const { run, play } = await setting({ content: [{ type: 'text', text }] });
      play(toolUse('mcp__t__tell'), 'Read.');
      const { messages } = await run('Tell.');
      const shown = JSON.stringify(resultTold(messages).content);
      const [, path = ''] = STORED_IN.exec(shown) ?? [];
      expect(readFileSync(path, 'utf8')).toBe(JSON.stringify([{ type: 'text', text }], undefined, 2));
    },
  );

  it('is shown the same way, byte for byte, by a session that is resumed', async () => {
    const { server, home, run, play } = await setting();
    play(toolUse('mcp__t__tell'), 'Read.', 'Still here.');
    const { messages, results } = await run('Tell.');
    const id = results[0]?.session_id as string;
    await run('And now?', { resume: id });
    expect(resultSent(server, 2)).toEqual(resultSent(server, 1));
    const all = await getSessionMessages(id, { env: { TURNWRIGHT_HOME: home } });
    expect(all[2]?.message).toMatchObject({ content: [{ content: resultTold(messages).content }] });
  });

  it('with structured output of its own is recorded completely; the model receives a preview', async () => {
    const rows = Array.from({ length: 4_000 }, (_, row) => ({ row }));
    const { server, home, run, play } = await setting({ content: [], structuredContent: { rows } });
    play(toolUse('mcp__t__tell'), 'Read.');
    const { messages } = await run('Tell.');
    const output = { content: JSON.stringify({ rows }), structuredContent: { rows } };
    expect(resultTold(messages).output).toEqual(output);
    expect(JSON.stringify(resultSent(server, 1))).toContain('All of it is stored in: ');
    const record = journalOf(home).lines.map((line) => JSON.parse(line));
    expect(record.find(({ toolUseResult }) => toolUseResult)?.toolUseResult).toEqual(output);
  });

  it('F71: stays in the record where no file takes it; the model sees a preview that says so', async () => {
    const { server, home, run, play } = await setting();
    const files: PersistentFiles = {
      ...nodeFiles,
      writeAtomic: async (path, data, options) => {
        if (path.includes('tool-results')) throw new Error('ENOSPC');
        await nodeFiles.writeAtomic(path, data, options);
      },
    };
    play(toolUse('mcp__t__tell'), 'Read.');
    const { results } = await run('Tell.', { files });
    expect(results).toMatchObject([{ subtype: 'success' }]);
    expect(JSON.stringify(resultSent(server, 1))).toContain('could not be kept (ENOSPC)');
    expect(journalOf(home).lines.some((line) => line.includes(JSON.stringify(LONG).slice(1, -1)))).toBe(true);
  });

  it('of megabytes reaches its file character by character', async () => {
    const text = `${'x'.repeat(1024 * 1024 - 1)}😀${'ü€'.repeat(200_000)}\ud800.`;
    const content = [
      { type: 'text', text },
      { type: 'text', text: 'A "second"\tone.' },
    ];
    const { server, home, run, play } = await setting({ content });
    play(toolUse('mcp__t__tell'), 'Read.');
    const { results } = await run('Tell.');
    const folder = join(journalOf(home).folder, results[0]?.session_id as string, 'tool-results');
    const [file] = readdirSync(folder);
    const kept = readFileSync(join(folder, file as string), 'utf8');
    expect(kept === JSON.stringify(content, undefined, 2)).toBe(true);
    expect(resultSent(server, 1)).toContain(`${kept.slice(0, 1_000)}`);
  });
});
