/**
 * A glob of ripgrep takes in files that ignore files leave out: `**` would list what was installed, `*.log` every log.
 * They are left out again, but for those that a glob names.
 */
import { globRules } from '../../../util/search/ignore-rules.ts';
import { leavesOut } from '../../../util/search/walk-files.ts';
import type { RipgrepRun } from './ripgrep.ts';
import { APART } from './without-ripgrep/records.ts';
import { searchRequest } from './without-ripgrep/search-arguments.ts';

export async function withoutIgnored(run: RipgrepRun): Promise<RipgrepRun['onRecord']> {
  const { globs, path } = searchRequest(run.args);
  const isLeftOut = await leavesOut(run.place.cwd, path, globRules(globs));
  const known = new Map<string, boolean>();
  /** Of the file that the last record was about: a record without a file continues it. */
  let skips = false;
  /** A separator of groups waits for a group behind it. */
  let apart = false;
  return async (record) => {
    if (run.separator === '\n' && record === APART) {
      apart ||= !skips;
      return true;
    }
    const at = run.separator === '\0' ? record.length : record.indexOf('\0');
    if (at >= 0) {
      const file = record.slice(0, at);
      skips = known.get(file) ?? (await isLeftOut(file));
      known.set(file, skips);
    }
    if (skips) return true;
    if (apart && !(await run.onRecord(APART))) return false;
    apart = false;
    return await run.onRecord(record);
  };
}
