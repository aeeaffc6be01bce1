/** What a page loads of `turnwright/web/client`, compressed. */
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';

const compressedBytes = (names: string): number => {
  const [built] = buildSync({
    stdin: {
      contents: `export { ${names} } from './packages/web/src/browser/index.ts'`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  }).outputFiles;
  return gzipSync(built?.contents ?? '', { level: 9 }).length;
};

it('is one kilobyte at most for a page that runs an agent', () => {
  expect(compressedBytes('runAgent, textOf')).toBeLessThanOrEqual(1_024);
});

it('is 250 bytes at most for a page of the AI SDK', () => {
  expect(compressedBytes('keptParts')).toBeLessThanOrEqual(250);
});
