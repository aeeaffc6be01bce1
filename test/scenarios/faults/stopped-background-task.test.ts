import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { isAlive, untilFile } from '../processes.ts';
import { conversation, rehearse } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

/** A command with a child that does not heed SIGTERM. */
const FAMILY = `bash -c "trap '' TERM; echo \\$\\$ > child; while :; do sleep 0.05; done" & echo $$ > shell; wait`;
const background = reply(toolUse('Bash', { command: FAMILY, run_in_background: true }));

const isEnd = (message: SDKMessage) => message.type === 'system' && message.subtype === 'task_notification';
const taskIdIn = (message: SDKMessage): string =>
  message.type === 'system' && message.subtype === 'task_started' ? message.task_id : '';

describe('F101 how a background task ended, and who ended it', () => {
  it('F101 stopped by the host: "killed" once its descendants have ended, and the model is notified by whom', async () => {
    const talk = conversation();
    talk.say('Serve.');
    let task = '';
    let alive: readonly boolean[] = [];
    let turns = 0;
    const run = await rehearse({
      prompt: talk.prompts,
      replies: [background, reply('Serving.'), reply('I see.')],
      onMessage: async (message, { query, cwd }) => {
        task ||= taskIdIn(message);
        if (message.type === 'result') {
          turns += 1;
          if (turns === 1) {
            await untilFile(join(cwd, 'child'));
            void query.stopTask(task);
          } else talk.end();
        }
        if (!isEnd(message)) return;
        alive = ['child', 'shell'].map((name) => isAlive(Number(readFileSync(join(cwd, name), 'utf8'))));
        // Nobody asks the model about what a person did; it hears of it with the next prompt.
        talk.say('What now?');
      },
    });
    expect(alive).toEqual([false, false]);
    expect(run.messages.find(isEnd)).toMatchObject({ status: 'stopped' });
    expect(run.entries).toContainEqual(
      expect.objectContaining({ type: 'task', event: 'ended', status: 'stopped', endedBy: 'host' }),
    );
    expect(run.results).toMatchObject([{ result: 'Serving.' }, { result: 'I see.' }]);
    expect(wholeText(run.sent[2])).toContain('was stopped by the user');
  });

  it('F101 ended by a signal from outside: failed, of itself', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: 'kill -KILL $$', run_in_background: true })),
        reply('Started.'),
        reply('It was killed.'),
      ],
    });
    expect(run.messages.find(isEnd)).toMatchObject({
      status: 'failed',
      summary: 'Background command "kill -KILL $$" was ended by SIGKILL',
    });
    expect(run.entries).toContainEqual(
      expect.objectContaining({ type: 'task', event: 'ended', status: 'failed', endedBy: 'itself' }),
    );
  });

  it('F101 a real exit code, not a guess', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: 'echo no; exit 3', run_in_background: true })),
        reply('Started.'),
        reply('It failed.'),
      ],
    });
    expect(run.messages.find(isEnd)).toMatchObject({
      status: 'failed',
      summary: 'Background command "echo no; exit 3" failed with exit code 3',
    });
  });

  it('F101 to stop an id that no task has, or a task that is over, does nothing; output of none is a clear error', async () => {
    const answers: unknown[] = [];
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: 'true', run_in_background: true })),
        reply('Started.'),
        reply('Ended.'),
      ],
      onMessage: async (message, { query }) => {
        if (!isEnd(message) || message.type !== 'system' || message.subtype !== 'task_notification') return;
        answers.push(await query.stopTask('nope'));
        answers.push(await query.stopTask(message.task_id));
        answers.push(await query.getTaskOutput('nope').catch((error: unknown) => error));
      },
    });
    expect(answers).toMatchObject([undefined, undefined, { code: 'unknown_task' }]);
    const ends = run.entries.filter((entry) => entry.type === 'task' && entry.event === 'ended');
    expect(ends).toMatchObject([{ status: 'completed', endedBy: 'itself' }]);
  });
});
