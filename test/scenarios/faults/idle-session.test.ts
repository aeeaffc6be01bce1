import { query, type SDKUserMessage } from '@turnwright/engine';
import { virtualClock } from '@turnwright/testing';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';

const HOUR_MS = 3_600_000;
/** The lock of the session is renewed four times a minute. */
const HEARTBEATS_OF_AN_HOUR = 240;

it('F105 an open session that waits for a prompt for an hour sets hardly a timer, and leaves none behind', async () => {
  const server = await startRehearsal({
    scenario: { name: 'idle', replies: [reply('One.'), reply('Two.')] },
  });
  const clock = virtualClock();
  let timers = 0;
  const counting = {
    ...clock,
    timer(ms: number, fire: () => void) {
      timers++;
      return clock.timer(ms, fire);
    },
  };
  let next = (_: SDKUserMessage | undefined) => {};
  const prompt = (content: string): SDKUserMessage => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  });
  async function* prompts() {
    yield prompt('one');
    for (;;) {
      const more = await new Promise<SDKUserMessage | undefined>((resolve) => {
        next = resolve;
      });
      if (more === undefined) return;
      yield more;
    }
  }
  const folder = tempFolder();
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: `${folder}/home` };
  const session = query({
    prompt: prompts(),
    options: { cwd: folder, env, tools: ['Bash'], engine: { clock: counting } },
  });
  const answers: string[] = [];
  for await (const message of session) {
    if (message.type !== 'result') continue;
    answers.push(message.subtype === 'success' ? message.result : message.subtype);
    if (answers.length === 1) {
      await clock.settle();
      const [before, waiting] = [timers, clock.pending];
      await clock.advance(HOUR_MS);
      expect(timers - before).toBeLessThanOrEqual(HEARTBEATS_OF_AN_HOUR);
      expect(clock.pending).toBeLessThanOrEqual(waiting);
      next(prompt('two'));
    } else next(undefined);
  }
  expect(answers).toEqual(['One.', 'Two.']);
  await server.close();
});
