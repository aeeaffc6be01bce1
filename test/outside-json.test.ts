/** JSON that comes from outside is read within a bound: what is nested too deeply is refused, and overflows nothing. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isTooDeep, isTooDeepValue, parseJson } from '@turnwright/base/bounded-json.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseHostLine } from '../packages/cli/src/control/json-lines.ts';
import { readText } from '../packages/engine/src/hooks/read-text.ts';
import type { JsonRpcMessage } from '../packages/engine/src/mcp/connect/json-rpc.ts';
import { createRemoteTransport } from '../packages/engine/src/mcp/connect/remote-transport.ts';
import { createStdioTransport } from '../packages/engine/src/mcp/connect/stdio-transport.ts';
import { parseErrorBody } from '../packages/engine/src/model/retry/error-body.ts';
import { createEventDecoder } from '../packages/engine/src/model/stream/decode-events.ts';
import { parseManifest } from '../packages/engine/src/plugins/manifest.ts';
import { entryOfLine } from '../packages/engine/src/session/catalog/file-summary.ts';
import { decodeLine } from '../packages/engine/src/session/journal/envelope.ts';
import { parseMcpFile } from '../packages/engine/src/settings/read/mcp-file.ts';
import { parseSettingsJson } from '../packages/engine/src/settings/read/parse-settings.ts';
import { readEnvironment } from '../packages/engine/src/settings/read/read-environment.ts';
import { readNotebook } from '../packages/engine/src/tools/builtin/notebook/notebook.ts';
import { readJsonBody } from '../packages/web/src/read-json-body.ts';
import { ROOT, sourceFiles } from './sources.ts';

const LEVELS = 20_000;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const DEEP = `{"type":"user","a":${nested(LEVELS)}}`;

describe('a value of 20,000 levels in', () => {
  it.each<readonly [string, () => unknown, RegExp]>([
    [
      'settings',
      () => parseSettingsJson(DEEP, '/p/.claude/settings.json'),
      /\/p\/\.claude\/settings\.json.*nested more than 500/,
    ],
    ['a file of MCP servers', () => parseMcpFile(DEEP).problem, /nested more than 500/],
    ['the manifest of a plugin', () => parseManifest(DEEP), /nested more than 500/],
    ['a notebook', () => readNotebook(DEEP), /nested more than 500/],
    ['the answer of a hook', () => readText(DEEP, 'PreToolUse', true), /its answer is not JSON/],
    ['a line of a host', () => parseHostLine(DEEP), /unreadable/],
    ['a line of a transcript', () => decodeLine(Buffer.from(DEEP)), /torn/],
    ['an entry of a list of sessions', () => String(entryOfLine(Buffer.from(DEEP))), /undefined/],
    ['an error of the API', () => parseErrorBody(DEEP, 'application/json'), /./],
    ['a variable', () => readEnvironment({ CLAUDE_CODE_EXTRA_BODY: DEEP }), /must be a JSON object/],
    [
      'the stream of the API',
      () => createEventDecoder({ status: 200, headers: {} } as never).decode([DEEP], []),
      /not JSON/,
    ],
    [
      'the fields of a skill, an agent or a command',
      () => readFrontmatter(`---\na: ${nested(LEVELS)}\n---\nx`),
      /./,
    ],
    [
      'the body of a page',
      () =>
        readJsonBody(
          new Request('http://a/', {
            method: 'POST',
            body: DEEP,
            headers: { 'content-type': 'application/json' },
          }),
          1e6,
        ),
      /must be a JSON object/,
    ],
  ])('%s is refused with a sentence', async (_, read, said) => {
    const answer = await Promise.resolve()
      .then(read)
      .catch((error: Error) => error.message);
    expect(JSON.stringify(answer)).not.toContain('call stack');
    expect(JSON.stringify(answer)).toMatch(said);
  });

  it('a message of a local MCP server ends its connection, which says why', async () => {
    const script = `process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"_meta":' + '['.repeat(${LEVELS}) + ']'.repeat(${LEVELS}) + '}}\\n'); setInterval(() => {}, 1000)`;
    const transport = createStdioTransport({
      command: process.execPath,
      args: ['-e', script],
      cwd: '/',
      env: {},
      isolate: undefined,
    });
    onTestFinished(() => transport.close());
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    expect(transport.epitaph).toBe('wrote a message that is nested more than 500 levels deep');
  });

  it('a message of a remote MCP server is an error for who waits for it', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"jsonrpc":"2.0","id":7,"result":{"_meta":{"a":${nested(LEVELS)}}}}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const transport = await createRemoteTransport({ type: 'http', url } as never, {
      connect: (baseUrl) => openConnections({ baseUrl }),
      credentials: undefined,
      clock: systemClock,
    });
    onTestFinished(() => transport.close());
    const received = new Promise<JsonRpcMessage>((resolve) => {
      const before = transport.onmessage;
      transport.onmessage = (message) => {
        before?.(message);
        resolve(message);
      };
    });
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
    expect(await received).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('nested more than 500') },
    });
  });
});

it.each([
  [nested(500), false],
  [nested(501), true],
  [`"${'['.repeat(2000)}"`, false],
  [`["${'\\"['.repeat(2000)}"]`, false],
  [`[${'[],'.repeat(5000)}[]]`, false],
  [`${'{"a":'.repeat(501)}1${'}'.repeat(501)}`, true],
  ['['.repeat(2000), true],
])('depth is that of brackets outside of text: row %#', (text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep);
  if (tooDeep) expect(() => parseJson(text)).toThrow('nested more than 500 levels deep');
  else expect(isTooDeepValue(parseJson(text))).toBe(false);
});

it('a value that a library has read is measured without recursion', () => {
  expect(isTooDeepValue(JSON.parse(nested(LEVELS)))).toBe(true);
  expect(isTooDeepValue({ a: [{ b: 'x' }] })).toBe(false);
});

/** What they read, this program has written itself, or it is a part of what was read within the bound. */
const OWN: readonly string[] = [
  'packages/cli/src/conversation/session/drafts.ts',
  'packages/durable/src/',
  'packages/engine/src/engine/standalone/journal-format.ts',
  'packages/engine/src/engine/storage/',
  'packages/engine/src/mcp/connect/stdio-transport.ts',
  'packages/engine/src/mcp/oauth/credential-store.ts',
  'packages/engine/src/mcp/tools/pin-store.ts',
  'packages/engine/src/model/openai/turns.ts',
  'packages/engine/src/model/stream/decode-events.ts',
  'packages/engine/src/model/vendor-reasoning.ts',
  'packages/inspector/src/',
  'packages/web/src/browser/index.ts',
  'packages/testing/src/rehearsal/',
  'packages/engine/src/session/catalog/store-transcripts.ts',
  'packages/engine/src/session/host-store/unsent-records.ts',
  'packages/engine/src/session/journal/digest.ts',
  'packages/engine/src/session/lease/lock-file.ts',
  'packages/engine/src/settings/write/edit-json.ts',
  'packages/terminal/src/editor/prompt-history.ts',
  'packages/testing/src/testing/',
  'packages/engine/src/tools/builtin/files/json-elements.ts',
  'packages/base/src/bounded-json.ts',
];

it('all other JSON is read by the one reader', async () => {
  const direct: string[] = [];
  for (const file of sourceFiles())
    if ((await readFile(join(ROOT, file), 'utf8')).includes('JSON.parse(')) direct.push(file);
  expect(direct.length).toBeGreaterThan(5);
  expect(direct.filter((file) => !OWN.some((own) => file.startsWith(own)))).toEqual([]);
});
