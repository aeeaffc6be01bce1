import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('docs/options.md and the sentences of the help are what `npm run docs` writes', () => {
  const script = fileURLToPath(new URL('../../../../scripts/docs.mjs', import.meta.url));
  const ran = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
});
