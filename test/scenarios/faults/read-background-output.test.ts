import { type RehearsalRequest, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { toolResults } from '../outline.ts';
import { rehearse } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

/** What the call's result says the task's id is. */
const idIn = ({ lastResult = '' }: RehearsalRequest): string => /task (b\w+)/.exec(lastResult)?.[1] ?? '';

describe('F102 the output of a background task that was read', () => {
  it('F102 to its end: no reminder follows, in this turn or after it', async () => {
    const run = await rehearse({
      replies: (request) => {
        if (request.call === 1)
          return reply(toolUse('Bash', { command: 'echo out; echo err >&2', run_in_background: true }));
        if (request.call === 2) return reply(toolUse('TaskOutput', { task_id: idIn(request) }));
        if (request.call === 3) return reply(toolUse('Bash', { command: 'echo on' }));
        return reply('Done.');
      },
    });
    expect(toolResults(run.messages)[1]?.text).toMatch(
      /has ended: completed\..* completed \(exit code 0\)\n[\s\S]*:\nout\nerr$/,
    );
    expect(run.results).toHaveLength(1);
    for (const body of run.sent) expect(wholeText(body)).not.toContain('<task-notification>');
    expect(run.entries).toContainEqual(expect.objectContaining({ type: 'task', event: 'told' }));
  });

  it('F102 while it runs: each look shows what is new', async () => {
    let task = '';
    const run = await rehearse({
      replies: (request) => {
        switch (request.call) {
          case 1: {
            const command = 'echo one; touch a; until [ -e b ]; do sleep 0.02; done; echo two; sleep 60';
            return reply(toolUse('Bash', { command, run_in_background: true }));
          }
          case 2:
            task = idIn(request);
            return reply(toolUse('Bash', { command: 'until [ -e a ]; do sleep 0.02; done' }));
          case 3:
            return reply(toolUse('TaskOutput', { task_id: task, block: false }));
          case 4:
            return reply(toolUse('Bash', { command: 'touch b; sleep 0.3' }));
          case 5:
            return reply(toolUse('BashOutput', { task_id: task, block: false }));
          case 6:
            return reply(toolUse('KillShell', { shell_id: task }));
          default:
            return reply('Done.');
        }
      },
    });
    const texts = toolResults(run.messages).map(({ text }) => text);
    expect(texts[2]).toMatch(/still running[\s\S]*one$/);
    expect(texts[4]).toMatch(/still running[\s\S]*two$/);
    expect(texts[4]).not.toContain('one');
    expect(texts[5]).toContain(`Task ${task} was stopped`);
    // The model stopped it: it need not be told.
    expect(wholeText(run.sent[6])).not.toContain('<task-notification>');
    expect(run.results).toHaveLength(1);
  });
});
