import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, type Room, roomOf, stdio, toolIn, until } from '../mcp/servers-under-test.ts';

const script = (name: string) =>
  fileURLToPath(
    new URL(`./node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );
const folder = async () => realpath(await mkdtemp(join(tmpdir(), 'turnwright-mcp-')));
const named = (room: Room) => room.tools.map((tool) => tool.name);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the reference servers', () => {
  it('filesystem reads and writes in the folder that it was given', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'a.txt'), 'alpha');
    const room = await roomOf({ files: stdio(script('filesystem'), [cwd]) }, { cwd });
    expect(room.statuses()).toMatchObject([{ status: 'connected' }]);
    const read = toolIn(room, 'mcp__files__read_text_file');
    expect(read.isConcurrencySafe?.({})).toBe(true);
    expect((await call(read, { path: join(cwd, 'a.txt') })).text).toContain('alpha');
    await call(toolIn(room, 'mcp__files__write_file'), { path: join(cwd, 'b.txt'), content: 'beta' });
    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('beta');
    const refused = await call(read, { path: '/etc/passwd' });
    expect(refused.output.isError).toBe(true);
  });

  it('memory remembers between calls', async () => {
    const file = join(await folder(), 'memory.json');
    const room = await roomOf({ memory: stdio(script('memory'), [], { MEMORY_FILE_PATH: file }) });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    expect(
      (await call(toolIn(room, 'mcp__memory__create_entities'), { entities })).output.isError,
    ).toBeUndefined();
    const { text } = await call(toolIn(room, 'mcp__memory__search_nodes'), { query: 'program' });
    expect(text).toContain('Ada');
  });

  it('everything over stdio: tools, images, links, progress, questions, resources, prompts', async () => {
    await everything(await roomOf({ every: stdio(script('everything')) }, { elicit }));
  });

  it.each([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ])('everything over %s', async (mode, type, path) => {
    const port = await freePort();
    const server = spawnGroup(process.execPath, [script('everything'), mode], {
      cwd: tmpdir(),
      env: { PORT: String(port), PATH: process.env['PATH'] ?? '' },
    });
    onTestFinished(async () => void (await server.end(100)));
    server.stdout?.resume();
    server.stderr?.resume();
    const room = await roomOf({ every: { type, url: `http://127.0.0.1:${port}${path}` } }, { elicit });
    // It was asked before it was up: it is found later.
    await until(() => room.statuses()[0]?.status === 'connected');
    await everything(room);
  });
});

const elicit = async () => ({ action: 'decline' as const });

describe.each(['reject', 'serve'])('a server of the published library (legacy: %s)', (legacy) => {
  const program = fileURLToPath(new URL('./both-revisions.mjs', import.meta.url));
  const accept = async () => ({ action: 'accept' as const, content: { name: 'Ada' } });

  const used = async (room: Room): Promise<void> => {
    expect(room.statuses()[0]).toMatchObject({
      status: 'connected',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'published' },
    });
    expect(room.instructions).toEqual([{ server: 'it', text: 'Be kind.' }]);
    expect((await call(toolIn(room, 'mcp__it__echo'), { text: 'hi' })).text).toBe('hi (modern)');
    const asked = await call(toolIn(room, 'mcp__it__ask'));
    expect(JSON.parse(asked.text)).toEqual({ action: 'accept', content: { name: 'Ada' } });
    const read = await call(toolIn(room, 'ReadMcpResourceTool'), { server: 'it', uri: 'memo://note' });
    expect(read.text).toBe('{"contents":[{"uri":"memo://note","text":"remember"}]}');
    const said = await room.commands[0]?.run('Ada', { signal: new AbortController().signal });
    expect(said?.messages).toEqual([[{ type: 'text', text: 'Greet Ada' }]]);
    const wrong = await call(toolIn(room, 'mcp__it__echo'), { text: 7 });
    expect(wrong.output.isError).toBe(true);
  };

  it('over stdio', async () => {
    const room = await roomOf({ it: stdio(program, [legacy], { LEGACY: legacy }) }, { elicit: accept });
    // It starts slowly, and may be bound to a session the first time.
    await room.reconnect('it');
    await used(room);
    await call(toolIn(room, 'mcp__it__grow'));
    await until(() => named(room).includes('mcp__it__newcomer'));
  });

  it('over HTTP', async () => {
    const port = await freePort();
    const server = spawnGroup(process.execPath, [program], {
      cwd: tmpdir(),
      env: { LEGACY: legacy, PORT: String(port), PATH: process.env['PATH'] ?? '' },
    });
    onTestFinished(async () => void (await server.end(100)));
    server.stdout?.resume();
    server.stderr?.resume();
    const room = await roomOf({ it: { type: 'http', url: `http://127.0.0.1:${port}/` } }, { elicit: accept });
    await until(() => room.statuses()[0]?.status === 'connected');
    await used(room);
  });
});

async function everything(room: Room): Promise<void> {
  expect(room.warnings.filter((line) => !line.includes('background task'))).toEqual([]);
  expect((await call(toolIn(room, 'mcp__every__echo'), { message: 'hi' })).text).toContain('hi');
  const image = await call(toolIn(room, 'mcp__every__get-tiny-image'));
  expect(image.output.content).toContainEqual(expect.objectContaining({ type: 'image' }));
  expect((await call(toolIn(room, 'mcp__every__get-resource-links'), { count: 2 })).text).toMatch(
    /demo:\/\//,
  );
  const long = await call(toolIn(room, 'mcp__every__trigger-long-running-operation'), {
    duration: 1,
    steps: 4,
  });
  expect(long.progress.length).toBeGreaterThanOrEqual(3);
  const wrong = await call(toolIn(room, 'mcp__every__get-sum'), { a: 'x' });
  expect([wrong.output.isError, wrong.text]).toEqual([true, expect.stringContaining('-32602')]);
  await until(() => named(room).includes('mcp__every__trigger-elicitation-request'));
  expect((await call(toolIn(room, 'mcp__every__trigger-elicitation-request'))).text).toMatch(/declin/i);
  expect((await call(toolIn(room, 'mcp__every__get-roots-list'))).text).toContain('file://');
  expect(named(room).some((name) => name.includes('sampling'))).toBe(false);
  expect((await call(toolIn(room, 'ListMcpResourcesTool'))).text).toContain('every');
  expect(room.commands.map((command) => command.name)).toContain('mcp__every__simple-prompt');
}
