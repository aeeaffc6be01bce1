import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { checkPrefix } from '@turnwright/test/session/check-prefix.ts';
import { faultsOf } from '@turnwright/test/session/conversation.ts';
import { followedBy } from '@turnwright/test/session/prefix-faults.ts';
import { asEntries, linesOf, playSession, sessionScript } from '@turnwright/test/session/sample-journal.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { digested } from '../../src/session/journal/digest.ts';
import { EarlierRecords } from '../../src/session/journal/earlier-records.ts';
import { type JournalProblem, readJournal, scanJournal } from '../../src/session/journal/read-journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';

/** Less than some lines have, more than others. */
const PART_BYTES = 700;

/** A file that is only bytes, read in small parts over each other. */
function bytesAsFile(bytes: Buffer): PersistentFiles {
  const files: Partial<PersistentFiles> = {
    stat: async () => ({ kind: 'file', size: bytes.length, mtimeMs: 0, mode: 0o600, ino: 1 }),
    async readRange(_path, offset, length, into = Buffer.alloc(length)) {
      const part = bytes.subarray(offset, offset + Math.min(length, PART_BYTES));
      into.fill(0);
      into.set(part);
      return into.subarray(0, part.length);
    },
  };
  return files as PersistentFiles;
}

async function entriesIn(bytes: Buffer): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(bytesAsFile(bytes), '/x', {})) entries.push(entry);
  return entries;
}

/** What a resume finds, but for what is told of submissions that are over. */
function resumedFrom(entries: readonly JournalEntry[]) {
  const { decisions, view, ...others } = resumeSession(entries);
  const resumed = { ...others, messages: view.messages };
  return resumed.interrupted === undefined ? resumed : { ...resumed, decisions };
}

/** Each prefix of hundreds of journals is resumed four times over: seconds of work, many on a busy machine. */
const LIMIT = { timeout: 300_000 };

describe('resume from every prefix (L10.8)', LIMIT, () => {
  it('F01 every line: a valid conversation, and no started unsafe call runs again', () => {
    fc.assert(
      fc.property(sessionScript, (script) => {
        const entries = asEntries(playSession(script).bodies);
        for (let end = 0; end <= entries.length; end++) checkPrefix(entries.slice(0, end));
      }),
      { numRuns: propertyRuns(8, 100) },
    );
  });

  it('F70 every byte of the last line: what is whole counts, the rest is left out', async () => {
    await fc.assert(
      fc.asyncProperty(sessionScript, fc.nat(), async (script, pick) => {
        const lines = linesOf(playSession(script).bodies);
        const at = pick % lines.length;
        const before = lines
          .slice(0, at)
          .map((line) => `${line}\n`)
          .join('');
        const last = Buffer.from(lines[at] as string);
        const whole = await entriesIn(Buffer.from(before));
        for (let cut = 0; cut <= last.length; cut += cut < 40 || cut > last.length - 40 ? 1 : 29) {
          const entries = await entriesIn(Buffer.concat([Buffer.from(before), last.subarray(0, cut)]));
          expect(entries.length).toBe(cut === last.length ? whole.length + 1 : whole.length);
          checkPrefix(entries);
        }
      }),
      { numRuns: propertyRuns(4, 16) },
    );
  });

  it('F39 the view of a whole journal is the one the live loop had', () => {
    fc.assert(
      fc.property(sessionScript, (script) => {
        const { bodies, view } = playSession(script);
        const resumed = resumeSession(asEntries(bodies));
        expect(resumed.view.messages.slice()).toEqual(view);
        expect(resumed.interrupted).toBeUndefined();
        expect(Object.values(resumed.problems).every((count) => count === 0)).toBe(true);
      }),
      { numRuns: propertyRuns(20, 100) },
    );
  });

  it('F70 any line lost, doubled or out of order: still a valid conversation', () => {
    fc.assert(
      fc.property(
        sessionScript,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('lost', 'doubled', 'swapped'),
        (script, a, b, how) => {
          const entries = asEntries(playSession(script).bodies);
          const i = a % entries.length;
          const j = b % entries.length;
          const whole = resumeSession(entries).view.messages.slice();
          if (how === 'lost') {
            const rest = entries.filter((_, index) => index !== i);
            const { interrupted: open } = resumeSession(rest);
            const closed = open === undefined ? rest : followedBy(rest, open.closing);
            expect(faultsOf(resumeSession(closed).view.messages)).toEqual([]);
            return;
          }
          const changed = [...entries];
          if (how === 'doubled') changed.splice(j, 0, entries[i] as JournalEntry);
          else [changed[i], changed[j]] = [changed[j] as JournalEntry, changed[i] as JournalEntry];
          expect(resumeSession(changed).view.messages.slice()).toEqual(whole);
        },
      ),
      { numRuns: propertyRuns(30, 120) },
    );
  });

  it('finds the same in what the taking over of the file gathers, damaged or whole', async () => {
    await fc.assert(
      fc.asyncProperty(sessionScript, fc.nat(), fc.nat(), fc.nat(255), async (script, end, at, byte) => {
        const lines = linesOf(playSession(script).bodies);
        const bytes = Buffer.from(`${lines.slice(0, 1 + (end % lines.length)).join('\n')}\n`);
        if (byte > 100) bytes[at % bytes.length] = byte;
        const read: JournalEntry[] = [];
        const problems: JournalProblem[] = [];
        const onProblem = (problem: JournalProblem) => problems.push(problem);
        for await (const entry of readJournal(bytesAsFile(bytes), '/x', { onProblem })) read.push(entry);
        const gathered = new EarlierRecords();
        await scanJournal(bytesAsFile(bytes), '/x', undefined, gathered);
        expect(resumedFrom(gathered.entries() ?? [])).toEqual(resumedFrom(read));
        expect(gathered.problems).toEqual(problems);
      }),
      { numRuns: propertyRuns(40, 200) },
    );
  });

  it('finds the same from what was gathered of a first part, kept, and gathered of the rest', async () => {
    await fc.assert(
      fc.asyncProperty(sessionScript, fc.nat(), fc.nat(), async (script, middle, end) => {
        const lines = linesOf(playSession(script).bodies);
        const whole = lines.slice(0, 1 + (end % lines.length));
        const bytes = Buffer.from(`${whole.join('\n')}\n`);
        const first = whole.slice(0, middle % whole.length).map((line) => `${line}\n`);
        const before = new EarlierRecords();
        const position = await scanJournal(bytesAsFile(Buffer.from(first.join(''))), '/x', undefined, before);
        const kept = JSON.parse(JSON.stringify(digested(before.entries() ?? []))) as JournalEntry[];
        const gathered = new EarlierRecords(kept);
        await scanJournal(bytesAsFile(bytes), '/x', position, gathered);
        expect(resumedFrom(gathered.entries() ?? [])).toEqual(resumedFrom(await entriesIn(bytes)));
      }),
      { numRuns: propertyRuns(40, 200) },
    );
  });
});
