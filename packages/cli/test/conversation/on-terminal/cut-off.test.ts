/** What `kill -9` cut off: the next conversation says where, and Enter goes on (F28, L4.1). */

import { sessionResumePoint } from '@turnwright/engine';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { converse, processOf, type Talk } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const kill = (talk: Talk) => process.kill(processOf(talk), 'SIGKILL');

const bash = (command: string) => reply([toolUse('Bash', { command })]);
const slow = { timing: { ttftMs: 120_000 } };

interface State {
  /** Up to the kill. */
  readonly replies: readonly ScriptedReply[];
  readonly args?: readonly string[];
  /** Seen before that. */
  readonly after?: string;
  /** On the screen when the process is killed. */
  readonly seen: string;
  /** What the next conversation says. */
  readonly says: string;
  readonly queued?: string;
}

const MODEL = 'the last prompt was cut off while the model was to answer; Enter goes on';
const STATES: readonly (readonly [string, State])[] = [
  ['the model has not answered', { replies: [reply('Never.', slow)], seen: 'waiting for', says: MODEL }],
  [
    'an answer is streamed',
    {
      replies: [
        reply(`The first words.\n\n${'And more. '.repeat(200)}`, {
          timing: { deltaChars: 20, gapMs: 2_000 },
        }),
      ],
      seen: 'The first words.',
      says: MODEL,
    },
  ],
  [
    'a command runs',
    {
      replies: [bash('sleep 300')],
      args: ['--allowedTools', 'Bash'],
      seen: 'tool runs',
      says: 'the last prompt was cut off while Bash sleep 300 ran; Enter goes on',
    },
  ],
  [
    'a question waits',
    {
      replies: [bash('touch made')],
      seen: '3 always',
      says: 'the last prompt was cut off before Bash touch made ran; Enter goes on',
    },
  ],
  [
    'between two requests',
    {
      replies: [bash('echo one'), reply('Never.', slow)],
      args: ['--allowedTools', 'Bash'],
      after: 'echo one',
      seen: 'waiting for',
      says: MODEL,
    },
  ],
  [
    'prompts wait',
    { replies: [reply('Never.', slow)], seen: 'waiting for', says: MODEL, queued: 'and then' },
  ],
];

describe.skipIf(!hasTmux)('after a kill', { timeout: 300_000 }, () => {
  test.each(everyNth(2, STATES))(
    '%s: the next conversation says so, and Enter finishes it',
    async (_, state) => {
      const server = await rehearse(...state.replies, reply('Finished after all.'));
      const { args = [], queued } = state;
      const talk = await converse(server, { args });
      await talk.seen('opus-5-5');
      await talk.enter('begin the work');
      if (state.after !== undefined) await talk.seen(state.after);
      await talk.seen(state.seen);
      if (queued !== undefined) {
        await talk.enter(queued);
        await talk.seen(`queued 1: ${queued}`);
      }
      kill(talk);
      await talk.until('ended with 137');
      const place = { cwd: talk.cwd, env: talk.env, args: ['--continue', '--allowedTools', 'Bash'] };
      const again = await converse(server, place);
      await again.seen(state.says);
      await again.seen('Enter goes on with what was cut off');
      again.keys('Enter');
      await again.seen('Finished after all.');
      await again.seen('done · ');
      expect(again.history().join('\n').split('Finished after all.')).toHaveLength(2);
      if (queued !== undefined) await again.seen(`held 1: ${queued}`);
      again.keys('C-d');
      await again.until('ended with 0');
      // It has its one result: there is nothing left to go on with.
      expect((await sessionResumePoint(undefined, talk)).interrupted).toBeUndefined();
    },
  );

  test('the same with -p: the run is finished to its one result', async () => {
    const server = await rehearse(bash('sleep 300'), reply('Finished after all.'));
    const talk = await converse(server, { args: ['--allowedTools', 'Bash'] });
    await talk.seen('opus-5-5');
    await talk.enter('begin the work');
    await talk.seen('tool runs');
    kill(talk);
    await talk.until('ended with 137');
    const printed = await turnwright(['-p', '--continue'], { cwd: talk.cwd, env: talk.env });
    expect(printed).toMatchObject({ code: 0, stdout: 'Finished after all.\n' });
  });

  test('the todo list is there again', async () => {
    const todos = [{ content: 'Mend the lamp', status: 'in_progress', activeForm: 'Mending the lamp' }];
    const server = await rehearse(
      reply([toolUse('TodoWrite', { todos })]),
      reply('Noted.'),
      reply('Hello again.'),
    );
    const env = bareEnv(against(server));
    const cwd = temporaryFolder();
    expect(await turnwright(['-p', 'plan it'], { cwd, env })).toMatchObject({ code: 0 });
    const talk = await converse(server, { cwd, env, args: ['--continue'] });
    await talk.seen('▸ Mend the lamp');
    await talk.enter('go on');
    await talk.seen('Hello again.');
    await talk.enter('/todos');
    await talk.seen('Todos · 0 of 1 done');
  });
});
