import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { filesThatFill, readOnlyFiles } from '../../faulty-files.ts';
import { outline } from '../outline.ts';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

describe('F71 a disk that takes nothing', () => {
  it('F71 full before a tool’s intent: the tool does not run, one result, the loss is reported, earlier records stay', async () => {
    let full = false;
    const files = filesThatFill((text) => {
      full ||= text.includes('"type":"intent"');
      return full;
    });
    const run = await rehearse({
      replies: [reply(['First words.', toolUse('Bash', { command: 'touch ran' })])],
      partial: true,
      openOnRecord: true,
      options: { engine: { files } },
    });
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'model_error',
      errors: [expect.stringContaining('ENOSPC')],
    });
    expect(run.error).toMatchObject({ code: expect.stringMatching(/^(storage_error|error_result)$/) });

    // With room again, the session goes on where the record ends.
    const again = await rehearse({
      place: run,
      prompt: 'There is room again.',
      replies: [reply('Good.')],
      options: { resume: run.sessionId },
    });
    expect(successOf(again).result).toBe('Good.');
    expect(wholeText(again.sent[0])).toContain('First words.');
  });

  it('F71 read-only from the start: a failed set-up with a named cause, and no request', async () => {
    const run = await rehearse({ replies: [], options: { engine: { files: readOnlyFiles() } } });
    expect(outline(run.messages)).toEqual(['result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('EROFS')],
    });
    expect(run.sent).toEqual([]);
  });
});
