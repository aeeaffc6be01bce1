import { describe, expect, it } from 'vitest';
import { reply, toolUse } from '../../../src/rehearsal/index.ts';
import { filesThatFill, readOnlyFiles } from '../faulty-files.ts';
import { journalLines } from '../journal.ts';
import { outline } from '../outline.ts';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { openCalls, wholeText } from '../sent.ts';

describe('F71 a disk that takes nothing', () => {
  it('F71 full in the middle of a run: one result that says so, earlier records intact, the session goes on later', async () => {
    let full = false;
    const files = filesThatFill((text) => {
      full ||= text.includes('"type":"intent"');
      return full;
    });
    const run = await rehearse({
      replies: [reply(['First words.', toolUse('Bash', { command: 'echo > ran' })])],
      partial: true,
      options: { engine: { files } },
    }).catch((error: unknown) => error);
    // The harness itself objects: what is not on record cannot have an answer there.
    expect(run).toMatchObject({ message: expect.stringContaining('without exactly one result') });
  });

  it('F71 read-only from the start: a failed set-up with a named cause, and no request', async () => {
    const run = await rehearse({ replies: [], options: { engine: { files: readOnlyFiles() } } });
    expect(outline(run.messages)).toEqual(['result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('cannot be opened for writing')],
    });
    expect(run.sent).toEqual([]);
  });

  void journalLines;
  void successOf;
  void openCalls;
  void wholeText;
});
