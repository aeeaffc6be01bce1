/** docs/start.md, followed literally from an empty folder: the package is installed with npm. */
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { it } from 'vitest';
import { followPage, packedPackage, reader } from './reader.ts';

it('a reader of start.md ends with an agent of their own that calls their own tool', {
  timeout: 240_000,
}, async () => {
  const someone = await reader(
    ({ lastMessage, lastResult }) => {
      if (lastMessage.includes('hello')) return reply('Hello, good to see you.');
      if (lastResult === undefined) return reply(toolUse('mcp__village__opening_hours', { place: 'bakery' }));
      return reply(lastResult.includes('13') ? 'The bakery closes at 13 o’clock.' : 'I do not know.');
    },
    { installed: false },
  );
  copyFileSync(packedPackage(), join(someone.folder, basename(packedPackage())));
  await followPage('docs/start.md', someone);
});
