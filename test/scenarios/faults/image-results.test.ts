import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { PNG } from '../images.ts';
import { journalFile } from '../journal.ts';
import { rehearse, successOf } from '../rehearse.ts';

it('F156 an image as a result: it does not count as text, and is recorded once', async () => {
  const image = Buffer.concat([PNG, randomBytes(120_000)]); // what follows the end of a picture is not looked at
  const run = await rehearse({
    files: { 'shot.png': image },
    replies: [reply([toolUse('Read', { file_path: 'shot.png' }, 'call_1')]), reply('A picture.')],
  });
  expect(successOf(run).result).toBe('A picture.');
  const log = readFileSync(journalFile(run), 'utf8');
  expect(log.split(image.toString('base64')).length - 1, 'copies in the log').toBe(1);
  const [before, after] = run.decisions.map(({ context }) => context?.used ?? 0);
  expect((after ?? 0) - (before ?? 0), 'tokens of an image, not of its 160 000 characters').toBeLessThan(
    4_000,
  );
});
