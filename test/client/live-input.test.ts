/** Prompts that come while a turn runs, by priority; what an interrupt leaves in line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, type Message, openPrompt, prompt, throughBothDoors, toolResults } from './doors.ts';

const UUID = {
  one: '11111111-1111-4111-8111-111111111111',
  two: '22222222-2222-4222-8222-222222222222',
  three: '33333333-3333-4333-8333-333333333333',
} as const;
const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
/** Runs until the test lets it go. */
const WAIT = toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.02; done; echo went' });
const isCall = (message: Message) =>
  message.type === 'assistant' && message.message.content[0]?.type === 'tool_use';

throughBothDoors('live input', (stage) => {
  const letGo = () => writeFileSync(join(stage.cwd, 'go'), '');
  /** The last thing each request said. */
  const said = () => stage.asked().map(({ messages }) => JSON.stringify((messages as unknown[]).at(-1)));

  it('now: the running call ends, without a note of interruption, and the prompt is worked on', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 60' })), reply('At once.'));
    const input = openPrompt('Go.');
    let count = 0;
    const { messages, results, error } = await gather(stage.start(input, FREE), (message) => {
      if (isCall(message)) input.push(prompt('Stop that.', { priority: 'now', uuid: UUID.one }));
      if (message.type === 'result' && ++count === 2) input.end();
    });
    expect(error).toBeUndefined();
    expect(results).toMatchObject([
      { subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
      { subtype: 'success', result: 'At once.', user_message_uuids: [UUID.one] },
    ]);
    expect(toolResults(messages)).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(messages)).not.toContain('[Request interrupted');
    expect(said()[1]).toContain('Stop that.');
  });

  it('next joins the turn between two requests; later waits for one of its own, behind what is next', async () => {
    stage.play(reply(WAIT), reply('Both.'), reply('That too.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    let count = 0;
    const { results } = await gather(running, (message) => {
      if (isCall(message)) {
        input.push(prompt('Later this.', { priority: 'later', uuid: UUID.one }));
        input.push(prompt('Next that.', { priority: 'next', uuid: UUID.two }));
        input.push(prompt('And this as well.', { uuid: UUID.three }));
        // Answered behind what was sent before it.
        void running.mcpServerStatus().then(letGo);
      }
      if (message.type === 'result' && ++count === 2) input.end();
    });
    expect(results).toMatchObject([
      { result: 'Both.', user_message_uuids: [UUID.two, UUID.three], queued_turn_count: 1 },
      { result: 'That too.', user_message_uuids: [UUID.one], queued_turn_count: 0 },
    ]);
    expect(said()[1]).toMatch(/went.*Next that\..*And this as well\./);
    expect(said()[1]).not.toContain('Later this.');
    expect(said()[2]).toContain('Later this.');
  });

  it('an interrupt names the prompts that stay queued, and they run next, by priority', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 60' })), reply('Two.'), reply('One.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    let receipt: unknown;
    let count = 0;
    const waiting = new Set<string>();
    const { messages, results } = await gather(running, (message) => {
      if (isCall(message)) {
        input.push(prompt('Later this.', { priority: 'later', uuid: UUID.one }));
        input.push(prompt('Next that.', { priority: 'next', uuid: UUID.two }));
      }
      if (is('command_lifecycle')(message) && 'command_uuid' in message && message.state === 'queued') {
        waiting.add(message.command_uuid);
        if (waiting.size === 2)
          void running.interrupt().then((answer) => {
            receipt = answer;
          });
      }
      if (message.type === 'result' && ++count === 3) input.end();
    });
    expect(receipt).toEqual({ still_queued: [UUID.two, UUID.one] });
    expect(results).toMatchObject([
      { terminal_reason: 'aborted_tools', queued_turn_count: 2 },
      { result: 'Two.', user_message_uuids: [UUID.two] },
      { result: 'One.', user_message_uuids: [UUID.one] },
    ]);
    expect(JSON.stringify(messages)).toContain('[Request interrupted by user for tool use]');
  });

  it('a command in the background goes on when a prompt cuts the turn short, and its end is heard', async () => {
    const command = 'until [ -e go ]; do sleep 0.02; done; echo went';
    stage.play(
      reply(toolUse('Bash', { command, run_in_background: true })),
      reply(toolUse('Bash', { command: 'sleep 60' })),
      reply('At once.', { when: { lastMessage: 'Stop that' } }),
      reply('It went.', { when: { lastMessage: 'completed' } }),
    );
    const input = openPrompt('Go.');
    let calls = 0;
    let count = 0;
    const { results, messages } = await gather(stage.start(input, FREE), (message) => {
      if (isCall(message) && ++calls === 2) input.push(prompt('Stop that.', { priority: 'now' }));
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) letGo();
      if (count === 3) input.end();
    });
    expect(results).toMatchObject([
      { terminal_reason: 'aborted_tools' },
      { result: 'At once.' },
      { result: 'It went.' },
    ]);
    expect(messages.filter(is('system', 'task_notification'))).toMatchObject([{ status: 'completed' }]);
  });

  it.each(['ends', 'is interrupted'])('prompts that wait until an answer %s become one turn', async (how) => {
    stage.play(
      reply('Both.', { when: { lastMessage: 'Three.' } }),
      reply('Alone.', { when: { lastMessage: 'As it is.' } }),
      reply('x'.repeat(400), { timing: { gapMs: 20 } }),
    );
    const input = openPrompt('Go.');
    const running = stage.start(input);
    let count = 0;
    const { messages, results } = await gather(running, (message) => {
      if (is('system', 'init')(message) && count === 0) {
        input.push(prompt('Two.', { uuid: UUID.one }));
        input.push(prompt('Three.', { uuid: UUID.two }));
        input.push(prompt('As it is.', { uuid: UUID.three, client_composed: true }));
        // Answered behind what was sent before it.
        if (how === 'is interrupted') void running.mcpServerStatus().then(() => running.interrupt());
      }
      if (message.type === 'result' && ++count === 3) input.end();
    });
    expect(results.slice(1)).toMatchObject([
      { result: 'Both.', user_message_uuid: UUID.two, user_message_uuids: [UUID.one, UUID.two] },
      { result: 'Alone.', user_message_uuids: [UUID.three] },
    ]);
    expect(messages.filter(is('system', 'init'))).toHaveLength(3);
    expect(said().at(-2)).toContain('Two.\\nThree.');
    const states = messages.filter(is('command_lifecycle')) as unknown as {
      command_uuid: string;
      state: string;
    }[];
    for (const uuid of Object.values(UUID))
      expect(states.filter((each) => each.command_uuid === uuid).map(({ state }) => state)).toEqual([
        'queued',
        'started',
        'completed',
      ]);
  });
});
