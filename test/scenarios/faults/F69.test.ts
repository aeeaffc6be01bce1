import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reply, toolUse } from '../../../src/rehearsal/index.ts';
import { createFileLeaseStore } from '../../../src/session/lease.ts';
import { sessionsDirectory } from '../../../src/session/paths.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { nodeFiles } from '../../../src/util/node-files.ts';
import { journalFile } from '../journal.ts';
import { outline } from '../outline.ts';
import { until } from '../processes.ts';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

/** A session that stands in the middle of a command until it is let go. */
function running(place: { readonly cwd: string; readonly home: string }, sessionId: string, options: object = {}) {
  return rehearse({
    place,
    replies: [reply(toolUse('Bash', { command: 'echo > started; while [ ! -e go ]; do sleep 0.01; done; echo went' })), reply('Done.')],
    partial: true,
    options: { sessionId, ...options },
  });
}

const exists = (path: string) => {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
};

describe('F69 two owners of one session', () => {
  it('F69 under a lease the second fails at once, with a named error, and writes no byte', async () => {
    const place = { cwd: tempFolder(), home: tempFolder() };
    const sessionId = randomUUID();
    const leases = () =>
      createFileLeaseStore({ files: nodeFiles, directory: sessionsDirectory(place.home, place.cwd), clock: systemClock });
    const first = running(place, sessionId, { engine: { leases: leases() } });
    await until(() => exists(`${place.cwd}/started`));
    const file = journalFile({ ...place, sessionId });
    const before = readFileSync(file);

    const second = await rehearse({ place, replies: [], options: { resume: sessionId, engine: { leases: leases() } } });
    expect(errorResultOf(second)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(/in use|another|process/i)],
    });
    expect(second.sent).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);

    await nodeFiles.writeAtomic(`${place.cwd}/go`, '');
    expect(successOf(await first)).toMatchObject({ is_error: false, result: 'Done.' });
  });

  it('F69 without one the newer owner fences the older, which ends silently and writes nothing more', async () => {
    const place = { cwd: tempFolder(), home: tempFolder() };
    const sessionId = randomUUID();
    const first = running(place, sessionId);
    await until(() => exists(`${place.cwd}/started`));
    const second = await rehearse({ place, prompt: 'Mine now.', replies: [reply('Yours.')], options: { resume: sessionId } });
    expect(successOf(second).result).toBe('Yours.');
    const file = journalFile({ ...place, sessionId });
    const before = readFileSync(file);

    await nodeFiles.writeAtomic(`${place.cwd}/go`, '');
    const older = await first;
    expect(older.results).toEqual([]);
    expect(older.error).toBeUndefined();
    expect(outline(older.messages)).toEqual(['init', 'tool_use']);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
