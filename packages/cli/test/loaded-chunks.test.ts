/** What the screen of a conversation is made of is not loaded by anything else. Needs `npm run build`. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/**
 * Text that only the renderer, marked, highlight.js and string-width have; then (C1) what reports to OpenTelemetry, spans,
 * and what reads and serves a session for the inspector.
 */
const MARKS = [
  ...['?2026h', 'lexInline', 'registerLanguage', 'RGI_Emoji'],
  ...['BatchSpanProcessor', 'turnwright.iteration', 'The cache broke, because', 'cross-origin-opener-policy'],
];

const marksIn = (path: string): readonly string[] => {
  const text = readFileSync(path, 'utf8');
  return MARKS.filter((mark) => text.includes(mark));
};

/** The files of `dist` that a process loads which was started with this environment, by what V8 has seen of it. */
function loadedFrom(coverage: string): readonly string[] {
  const urls = urlsFrom(coverage);
  const own = pathToFileURL(DIST).href;
  return [...new Set(urls.filter((url) => url.startsWith(own)))].map((url) => fileURLToPath(url));
}

function urlsFrom(coverage: string): readonly string[] {
  return readdirSync(coverage).flatMap((file): string[] =>
    JSON.parse(readFileSync(join(coverage, file), 'utf8')).result.map(({ url }: { url: string }) => url),
  );
}

test('each part is in a file of its own, or these tests would find nothing', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  const found = new Set(files.flatMap((file) => marksIn(join(DIST, file))));
  expect([...found].sort()).toEqual(MARKS.toSorted());
});

test.each([['--help'], ['-p', 'hi'], ['-p', '--output-format', 'json', 'hi'], ['models']])(
  '`turnwright %s %s` loads nothing of it',
  async (...args) => {
    const server = await rehearse(reply('Hello.'));
    const coverage = temporaryFolder();
    const env = { ...against(server), NODE_V8_COVERAGE: coverage };
    const { code, stderr } = await turnwright(args, { env });
    expect([code, stderr]).toEqual([0, '']);
    const loaded = loadedFrom(coverage);
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((path) => marksIn(path).length > 0)).toEqual([]);
    expect(urlsFrom(coverage).filter((url) => url.includes('@opentelemetry'))).toEqual([]);
  },
);

test('the library loads nothing of it', () => {
  const coverage = temporaryFolder();
  const program = `await import(${JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)})`;
  const env = { ...bareEnv(), NODE_V8_COVERAGE: coverage };
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env });
  expect(status).toBe(0);
  expect(loadedFrom(coverage).filter((path) => marksIn(path).length > 0)).toEqual([]);
});
