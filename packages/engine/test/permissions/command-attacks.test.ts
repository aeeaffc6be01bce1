/** Each thing that runs without a question, turned into an attack: in no mode one of these lines runs unasked. */
import { join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder, unchangingFiles } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { linesOf, makeTrap } from './corpus-project.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');
beforeAll(() => makeTrap(cwd, join(folder.path, 'outside')));
afterAll(() => folder.remove());

/** What a mode allows by itself is no attack: edits of plain files in acceptEdits. */
const MODES = ['default', 'plan', 'dontAsk'] as const;

it('no attack of the list runs unasked', async () => {
  const lines = everyNth(8, await linesOf('attacks.txt', cwd));
  const files = unchangingFiles();
  const ran: string[] = [];
  for (const mode of MODES) {
    const engine = (deny: readonly string[]) =>
      createPermissions({ files, mode, home: folder.path, deny, searchPath: `${cwd}/bin:/usr/bin:/bin` });
    const [free, ruled] = [engine([]), engine(['Read(.env)'])];
    await Promise.all(
      lines.map(async ({ category, written, command }) => {
        const verdict = await (category === 'denied' ? ruled : free).decide(
          question(TOOLS.Bash, { command }, cwd),
        );
        if (verdict.kind === 'allow')
          ran.push(`${mode} ${category} ${written} => ${JSON.stringify(verdict)}`);
      }),
    );
  }
  expect(ran).toEqual([]);
});

it('nor what an edit that acceptEdits allows has prepared', async () => {
  const engine = createPermissions({ files: unchangingFiles(), mode: 'acceptEdits', home: folder.path });
  for (const command of [
    'touch ./-o.json && sort *.json',
    'touch ./-o.json; sort ./*.json *.json',
    'cp -P links/leads-out.ts src && cat src/*.ts',
    'mv links/leads-out.ts src/z.ts && cat src/*.ts',
    'mkdir -p src/deep && mv nested/.git src/deep && cd src/deep && git status',
    'touch src/HEAD && cd src && git status',
    'mkdir -p src/x && cd src/x && git -C . log',
    'touch x && find . -name "*.ts" | xargs cat',
    'cat src/*.ts > all.ts && cat *.ts',
  ])
    expect((await engine.decide(question(TOOLS.Bash, { command }, cwd))).kind, command).toBe('ask');
});
