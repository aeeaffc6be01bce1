import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryLeaseStore } from '@turnwright/engine/session/in-process/lease-store.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { journalFile } from '../journal.ts';
import { outline } from '../outline.ts';
import { until } from '../processes.ts';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

const HOLD = 'touch started; while [ ! -e go ]; do sleep 0.01; done; echo went';

/** A session that stands in the middle of a command until it is let go. */
async function standing(options: object = {}) {
  const place = { cwd: tempFolder(), home: tempFolder() };
  const sessionId = randomUUID();
  const end = rehearse({
    place,
    replies: [reply(toolUse('Bash', { command: HOLD })), reply('Done.')],
    partial: true,
    openOnRecord: true,
    options: { sessionId, ...options },
  });
  await until(() => existsSync(join(place.cwd, 'started')));
  const file = journalFile({ ...place, sessionId });
  return { place, sessionId, file, end, letGo: () => writeFileSync(join(place.cwd, 'go'), '') };
}

describe('F69 two owners of one session', () => {
  it('F69 the second fails at once, with a named error, and writes no byte', async () => {
    const { place, sessionId, file, end, letGo } = await standing();
    const before = readFileSync(file);
    const second = await rehearse({ place, replies: [], openOnRecord: true, options: { resume: sessionId } });
    const after = readFileSync(file);
    letGo();
    expect(successOf(await end)).toMatchObject({ is_error: false, result: 'Done.' });
    const refused = errorResultOf(second);
    expect(refused).toMatchObject({
      subtype: 'error_during_execution',
      num_turns: 0,
      errors: [expect.stringMatching(/is in use by process \d+ on .*\. End that process/)],
    });
    // It is refused at the start: there was no turn that could end for a reason.
    expect(refused).not.toHaveProperty('terminal_reason');
    expect(second.sent).toEqual([]);
    expect(after.equals(before)).toBe(true);
  });

  it('F69 where leases are not shared, the newer owner fences the older, which ends silently and writes no more', async () => {
    const apart = () => ({ engine: { leases: createMemoryLeaseStore() } });
    const { place, sessionId, file, end, letGo } = await standing(apart());
    const second = await rehearse({
      place,
      prompt: 'Mine now.',
      replies: [reply('Yours.')],
      options: { resume: sessionId, ...apart() },
    });
    const before = readFileSync(file);
    letGo();
    const older = await end;
    expect(successOf(second).result).toBe('Yours.');
    expect(older.results).toEqual([]);
    expect(older.error).toBeUndefined();
    expect(outline(older.messages).filter((word) => word !== 'tool_progress')).toEqual(['init', 'tool_use']);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
