/**
 * A glob of ripgrep takes in files that ignore files leave out: `**` would list what was installed, `*.log`
 * every log. They are left out again, but for those that a glob names.
 */
import { globRules } from '@turnwright/base/search/ignore-rules.ts';
import { leavesOut } from '@turnwright/base/search/walk-files.ts';
import type { RipgrepRun } from './ripgrep.ts';
import { APART } from './without-ripgrep/records.ts';
import { searchRequest } from './without-ripgrep/search-arguments.ts';

export async function withoutIgnored(run: RipgrepRun): Promise<RipgrepRun['onRecord']> {
  const { globs, path } = searchRequest(run.args);
  const isLeftOut = await leavesOut(run.place.cwd, path, globRules(globs));
  const known = new Map<string, boolean>();
  /** Records without a file: the beginning of a name with line breaks in it. */
  let begun: string[] = [];
  let shown = false;
  /** A separator of groups waits for a group behind it. */
  let apart = false;
  return async (record) => {
    const at = run.separator === '\0' ? record.length : record.indexOf('\0');
    if (at < 0) {
      if (begun.length === 0 && record === APART) apart = shown;
      else begun.push(record);
      return true;
    }
    const file = [...begun, record.slice(0, at)].join('\n');
    const skips = known.get(file) ?? (await isLeftOut(file));
    known.set(file, skips);
    const records = [...(apart ? [APART] : []), ...begun, record];
    begun = [];
    if (skips) return true;
    shown = true;
    apart = false;
    for (const each of records) if (!(await run.onRecord(each))) return false;
    return true;
  };
}
