/** Sleep: waiting in a turn, and prompts that can wait until then. */

import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, prompt, throughBothDoors, toolResults } from './doors.ts';

throughBothDoors('the Sleep tool', (stage) => {
  const offered = () =>
    ((stage.asked()[0]?.['tools'] ?? []) as { name: string }[]).some(({ name }) => name === 'Sleep');
  const sleeps = reply(toolUse('Sleep', { seconds: 600 }));

  it('ends when a prompt comes in, and one for later joins the turn behind it', async () => {
    stage.play(sleeps, reply('Both.'));
    const input = openPrompt('Wait for me.');
    const { messages, results } = await gather(stage.start(input), (message) => {
      if (message.type === 'assistant' && JSON.stringify(message).includes('"Sleep"'))
        input.push(prompt('No hurry.', { priority: 'later' } as never));
      if (message.type === 'result') input.end();
    });
    expect(results).toHaveLength(1);
    expect(toolResults(messages)[0]?.text).toContain('the user has said something');
    expect(JSON.stringify(stage.asked()[1]?.['messages'])).toContain('No hurry.');
    expect(offered()).toBe(true);
  });

  it('is no tool where none are wanted', async () => {
    stage.play(reply('Hm.'));
    const input = openPrompt('Go.');
    await gather(stage.start(input, { tools: [] }), (message) => void (is('result')(message) && input.end()));
    expect(offered()).toBe(false);
  });

  it('is offered when it is named, and waits for the given time', async () => {
    const { messages } = await stage.run([reply(toolUse('Sleep', { seconds: 1 })), reply('Rested.')], {
      tools: ['Sleep'],
    });
    expect(toolResults(messages)[0]?.text).toContain('Slept for 1');
  });
});
