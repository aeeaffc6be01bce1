import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const CONSUMER = `
import { query, type SDKMessage } from '${root}dist/types/index.js';
for await (const message of query({ prompt: 'x' })) {
  if (message.type === 'result' && message.subtype === 'success') message.result.toUpperCase();
  if (message.type === 'result' && message.subtype !== 'success') message.errors.join();
  if (message.type === 'system' && message.subtype === 'init') message.tools.length;
  // @ts-expect-error a union, not any
  message.doesNotExist;
  // @ts-expect-error no such type of message
  const type: SDKMessage['type'] = 'no-such-type';
  void type;
}
`;

describe('F125 types as a consumer meets them', () => {
  it('F125 the package check compiles a consumer of the packed package without skipLibCheck', () => {
    expect(existsSync(`${root}scripts/check-package.mjs`)).toBe(true);
    const script = readFileSync(`${root}scripts/check-package.mjs`, 'utf8');
    expect(script).toMatch(/'--skipLibCheck',\s*'false'/);
  });

  it('F125 the message union narrows and is not any', () => {
    const folder = tempFolder({ 'consumer.ts': CONSUMER, 'package.json': '{"type":"module"}' });
    const flags =
      '--noEmit --strict --module nodenext --target es2023 --lib es2023,esnext.disposable --skipLibCheck';
    const run = spawnSync(
      process.execPath,
      [
        `${root}node_modules/typescript/bin/tsc`,
        ...flags.split(' '),
        ...['--typeRoots', `${root}node_modules/@types`, '--types', 'node', 'consumer.ts'],
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(run.stdout.split('\n').filter((line) => line.startsWith('consumer.ts'))).toEqual([]);
    expect(run.error).toBeUndefined();
  });
});
