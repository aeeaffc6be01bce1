import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

/** More than can be read at once: sparse, so that it takes no space. */
const HUGE = 3 * 1024 ** 3;
const HEAD = '---\nname: big\ndescription: It is long.\n---\nIts beginning.\n';

const HUGE_FILES: Readonly<Record<string, string>> = {
  'a skill': '.claude/skills/big/SKILL.md',
  'an output style': '.claude/output-styles/big.md',
  'a command': '.claude/commands/big.md',
  'an agent': '.claude/agents/big.md',
  'a rule': '.claude/rules/big.md',
  'CLAUDE.md': 'CLAUDE.md',
};

it('what is far too long is read to a limit, and a warning names the file', async () => {
  const folder = tempFolder();
  const place = { cwd: join(folder, 'work'), home: join(folder, 'home') };
  const put = (path: string, text: string): string => {
    const file = join(place.cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(place.home);
  for (const path of Object.values(HUGE_FILES)) truncateSync(put(path, HEAD), HUGE);
  put('CLAUDE.local.md', `Local words. ${'x'.repeat(50_000)} END`);
  const said: string[] = [];
  const run = await rehearse({
    place,
    replies: [reply('Done.')],
    options: {
      settingSources: ['project', 'local'],
      projectTrusted: true,
      settings: { outputStyle: 'big' },
      stderr: (line) => void said.push(line),
    },
  });
  expect(run.results).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
  for (const [kind, path] of Object.entries({ ...HUGE_FILES, 'CLAUDE.local.md': 'CLAUDE.local.md' }))
    expect(
      said.filter((line) => line.includes(join(place.cwd, path))),
      kind,
    ).toEqual([
      expect.stringMatching(/larger than|more than \d+ characters|very large|to its character \d+ only/),
    ]);
  expect(JSON.stringify(run.sent[0])).toContain('Local words.');
  expect(JSON.stringify(run.sent[0])).not.toContain('xx END');
});
