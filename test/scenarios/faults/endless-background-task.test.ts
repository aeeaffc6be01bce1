import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { createBashTool } from '../../../packages/engine/src/tools/builtin/shell/bash.ts';
import { rehearse } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

const POLLS = 'while :; do [ -e never ]; sleep 0.05; done';

describe('F103 a loop that polls for what never comes', () => {
  it('F103 ends at its lifetime, and the model is notified', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: POLLS, run_in_background: true })),
        reply('Waiting.'),
        reply('It never came.'),
      ],
      options: { engine: { tools: [createBashTool({ backgroundLifetimeMs: 150 })] } },
    });
    expect(run.entries).toContainEqual(
      expect.objectContaining({ type: 'task', event: 'ended', status: 'stopped', endedBy: 'lifetime' }),
    );
    expect(wholeText(run.sent[2])).toContain('it had run for as long as it may');
    expect(run.results).toHaveLength(2);
  });

  it('F103 is in every list until it is stopped, and a resumed session knows what became of it', async () => {
    const lists: number[] = [];
    const first = await rehearse({
      replies: [reply(toolUse('Bash', { command: POLLS, run_in_background: true })), reply('Waiting.')],
      options: { engine: { backgroundWaitMs: 1 } },
      onMessage: (message) => {
        if (message.type === 'system' && message.subtype === 'background_tasks_changed')
          lists.push(message.tasks.length);
      },
    });
    expect(lists).toEqual([1, 0]);
    const errors: unknown[] = [];
    const second = await rehearse({
      place: first,
      prompt: 'Is it still polling?',
      replies: [reply('No.')],
      options: { resume: first.sessionId },
      onMessage: async (message, { query }) => {
        if (message.type !== 'assistant') return;
        const started = first.entries.find((entry) => entry.type === 'task');
        const id = started?.type === 'task' ? started.taskId : '';
        errors.push(await query.stopTask(id).catch((error: unknown) => error));
      },
    });
    expect(wholeText(second.sent[0])).toContain('was stopped when the session ended');
    // There is nothing left to stop.
    expect(errors).toEqual([undefined]);
    // Once: a later life of the session finds it in the conversation.
    const third = await rehearse({
      place: first,
      prompt: 'And now?',
      replies: [reply('Still no.')],
      options: { resume: first.sessionId },
    });
    expect(wholeText(third.sent[0]).split('<task-notification>')).toHaveLength(2);
  });
});
