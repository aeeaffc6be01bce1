import { query, type SDKMessage } from '@turnwright/engine';
import { type RehearsalRequest, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { inForm } from '../../long-form.ts';
import { readJournalOf } from '../journal.ts';
import { toolResults } from '../outline.ts';
import { laidOver, serve } from '../rehearse.ts';
import { bodyOf, messageRequests, wholeText } from '../sent.ts';
import { tempFolder } from '../temp-folder.ts';

const SESSIONS = inForm(20, 50);

function askWho(request: RehearsalRequest) {
  return request.call === 1
    ? reply(toolUse('Bash', { command: 'echo "$WHO_AM_I in $PWD: $(cat name.txt)"' }))
    : reply(`It says: ${request.lastResult?.trim()}`);
}

describe('F126 many sessions in one process', () => {
  it(`F126 ${SESSIONS} at once, each with its own folder, environment and key: nothing of one is in another`, async () => {
    const server = await serve(askWho);
    const worlds = Array.from({ length: SESSIONS }, (_, n) => ({
      name: `tenant-${n}-`,
      cwd: tempFolder({ 'name.txt': `tenant-${n}-\n` }),
      home: tempFolder(),
    }));
    const before = process.cwd();
    const runs = await Promise.all(
      worlds.map(async ({ name, cwd, home }) => {
        const messages: SDKMessage[] = [];
        const options = laidOver(
          server,
          { cwd, home },
          { env: { ANTHROPIC_API_KEY: `key-of-${name}`, WHO_AM_I: name } },
        );
        for await (const message of query({ prompt: `I am ${name}.`, options })) messages.push(message);
        return messages;
      }),
    );
    expect(process.cwd()).toBe(before);
    for (const [n, { name, cwd, home }] of worlds.entries()) {
      const messages = runs[n] ?? [];
      const told = `${name} in ${cwd}: ${name}`;
      expect(toolResults(messages).map(({ text }) => text.trim())).toEqual([told]);
      expect(messages.at(-1)).toMatchObject({ type: 'result', is_error: false, result: `It says: ${told}` });

      const mine = messageRequests(server).filter(
        (request) => request.headers['x-api-key'] === `key-of-${name}`,
      );
      expect(mine).toHaveLength(2);
      for (const request of mine)
        expect(wholeText(bodyOf(request)).match(/tenant-\d+-/g)).toEqual(
          wholeText(bodyOf(request)).match(new RegExp(name, 'g')),
        );

      const entries = await readJournalOf({ cwd, home, sessionId: messages[0]?.session_id ?? '' });
      expect(new Set(JSON.stringify(entries).match(/tenant-\d+-/g))).toEqual(new Set([name]));
    }
    expect(server.report()).toMatchObject({ rejected: [], unanswered: [] });
  });
});
