import type { HookCallback } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';

function counting() {
  const events: string[] = [];
  const note: HookCallback = async (input) => {
    events.push(input.hook_event_name);
    return {};
  };
  return { events, hooks: { Stop: [{ hooks: [note] }], StopFailure: [{ hooks: [note] }] } };
}

describe('L10.4 stop hooks run at most once per terminal position', () => {
  it('L10.4 once at the end; not after tools, retries, escalations or nudges', async () => {
    const { events, hooks } = counting();
    await rehearse({
      files: { 'a.txt': 'x' },
      replies: [
        reply(toolUse('Read', { file_path: 'a.txt' })),
        reply('lost', { faults: ['http-status'] }),
        reply('', { faults: ['empty-response'] }),
        reply('so on and '.repeat(4_000)),
        reply('Done.'),
      ],
      options: { hooks },
    });
    expect(events).toEqual(['Stop']);
  });

  it('L10.4 an answer that ends in an error asks StopFailure instead, once', async () => {
    const { events, hooks } = counting();
    await rehearse({
      replies: [reply('never', { faults: [{ name: 'http-status', status: 400 }] })],
      options: { hooks },
    });
    expect(events).toEqual(['StopFailure']);
  });
});
