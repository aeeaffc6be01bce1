import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, prompt, prompts, throughBothDoors } from './doors.ts';

const ID = '20000000-0000-4000-8000-000000000001';

throughBothDoors('file checkpoints', (stage) => {
  it('rewindFiles tells what it would do, and then does it', async () => {
    const [poem, made] = [join(stage.cwd, 'poem.txt'), join(stage.cwd, 'made.txt')];
    await writeFile(poem, 'Roses are red\n');
    stage.play(
      reply([
        toolUse('Edit', { file_path: poem, old_string: 'red', new_string: 'blue' }),
        toolUse('Write', { file_path: made, content: 'made\n' }),
      ]),
      reply('Done.'),
    );
    const input = prompts();
    input.push(prompt('Go.', { uuid: ID }));
    const running = stage.start(input, { permissionMode: 'acceptEdits', enableFileCheckpointing: true });
    const came: unknown[] = [];
    const { error } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      void (async () => {
        came.push(await running.rewindFiles(ID, { dryRun: true }), await readFile(poem, 'utf8'));
        came.push(await running.rewindFiles(ID), await readFile(poem, 'utf8'));
        input.end();
      })();
    });
    expect(error).toBeUndefined();
    const report = { canRewind: true, filesChanged: [poem, made], insertions: 1, deletions: 2 };
    expect(came).toEqual([report, 'Roses are blue\n', { ...report, skippedLinks: 0 }, 'Roses are red\n']);
    expect(existsSync(made)).toBe(false);
  });
});
