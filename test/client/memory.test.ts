import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, throughBothDoors } from './doors.ts';

throughBothDoors('memory', (stage) => {
  it('relevant memory is added while the model works, and reported as memory_recall', async () => {
    const folder = join(stage.home, 'projects', stage.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), 'memory');
    const note = join(folder, 'release.md');
    await mkdir(folder, { recursive: true });
    await writeFile(note, '---\ndescription: how releases are made\n---\nTags are signed.');
    stage.server.setScenario(({ tools, body, number }) => {
      if (tools.length === 0) return reply('1');
      const isThere = JSON.stringify(body).includes('Tags are signed.') || number > 60;
      return isThere ? reply('Done.') : reply(toolUse('Bash', { command: 'true' }));
    });
    const { messages, result } = await gather(
      stage.start('Cut a release.', {
        settingSources: ['user'],
        settings: { relevantMemory: true } as object,
      }),
    );
    expect(messages.filter(is('system', 'memory_recall'))).toMatchObject([
      { mode: 'select', memories: [{ path: note, scope: 'personal' }] },
    ]);
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(Object.keys(result?.modelUsage ?? {})).toHaveLength(2);
  });
});
