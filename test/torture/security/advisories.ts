/** S3: every published advisory on programs of this kind has a test under its number, or a reason why it needs none. */
import { readFile } from 'node:fs/promises';
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

const PAGE = new URL('../../../docs/security.md', import.meta.url);
/** Tests that name an advisory. */
const NUMBERS = '(CVE|GHSA)-';

row('S3', async ({ figures, quick }) => {
  const page = await readFile(PAGE, 'utf8');
  const rows = [...page.matchAll(/^\| ((?:CVE|GHSA)-[\w-]+) \|.*\| (.*) \|$/gm)];
  const files = new Set(rows.flatMap(([, , here = '']) => here.match(/test\/[\w./-]+\.test\.ts/g) ?? []));
  const tested = rows.filter(([, , here = '']) => here.includes('test/')).length;
  const { passed, failed } = await runTests(
    quick ? ['packages/engine/test/permissions/advisories.test.ts'] : [...files],
    quick ? {} : { named: NUMBERS },
  );
  if (!quick) figures.atLeast('published advisories', rows.length, 60);
  figures.atLeast('of which have tests', tested, rows.length - 2);
  figures.atLeast('tests that passed', passed, quick ? 60 : tested);
  figures.none('tests that failed', failed);
});
