import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { toolResults } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

const whereAreYou = () => ({
  prompt: 'Where are you?',
  replies: [reply(toolUse('Bash', { command: 'pwd' })), reply('There.')],
});

describe('F74 a session is resumed from somewhere else', () => {
  it('F74 no folder is named: tools work where the session was started, wherever the process stands', async () => {
    const first = await rehearse({ replies: [reply('Hi.')] });
    const run = await rehearse({
      ...whereAreYou(),
      place: first,
      options: { resume: first.sessionId, cwd: undefined },
    });
    expect(toolResults(run.messages).map(({ text }) => text.trim())).toEqual([first.cwd]);
    expect(successOf(run).session_id).toBe(first.sessionId);
  });

  it('F74 another folder is named: that is the caller’s choice, and the conversation goes on there', async () => {
    const first = await rehearse({ replies: [reply('Hi.')] });
    const elsewhere = tempFolder();
    const run = await rehearse({
      ...whereAreYou(),
      place: { cwd: elsewhere, home: first.home },
      options: { resume: first.sessionId },
    });
    expect(toolResults(run.messages).map(({ text }) => text.trim())).toEqual([elsewhere]);
    expect(run.messages[0]).toMatchObject({ subtype: 'init', cwd: elsewhere });
    expect(run.sent[0]?.messages).toHaveLength(3);
  });
});
