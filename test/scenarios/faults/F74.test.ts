import { describe, expect, it } from 'vitest';
import { reply, toolUse } from '../../../src/rehearsal/index.ts';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { toolResults } from '../outline.ts';
import { tempFolder } from '../temp-folder.ts';

describe('F74 a session is resumed from somewhere else', () => {
  it('F74 another folder: a named error, nothing runs there', async () => {
    const first = await rehearse({ replies: [reply('Hi.')] });
    const run = await rehearse({
      place: { cwd: tempFolder(), home: first.home },
      replies: [],
      options: { resume: first.sessionId },
    });
    expect(errorResultOf(run)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('in this folder')],
    });
    expect(run.sent).toEqual([]);
  });

  it('F74 the folder it was started in, named: tools work there, wherever the process stands', async () => {
    const first = await rehearse({ replies: [reply('Hi.')] });
    const run = await rehearse({
      place: first,
      prompt: 'Where are you?',
      replies: [reply(toolUse('Bash', { command: 'pwd' })), reply('There.')],
      options: { resume: first.sessionId },
    });
    expect(toolResults(run.messages).map(({ text }) => text.trim())).toEqual([first.cwd]);
    expect(successOf(run).session_id).toBe(first.sessionId);
  });
});
