/** `/clear` in a session that others follow by its id. */

import { openedClient, openedDatabase } from '@turnwright/test/durable/opened.ts';
import { say } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inProcessRunner, worker } from '../src/index.ts';
import { alwaysAnswering } from './programs/scripted.ts';

test.each(['/clear', '/new'])(
  '%s is refused with what to do, and the session goes on under its id',
  async (command) => {
    const db = await openedDatabase();
    const client = openedClient(db);
    const { callModel } = alwaysAnswering((request) => say(`${request.sessionId}: ${request.view.length}`));
    const running = await worker({
      db: db.url,
      runner: inProcessRunner(),
      options: { settingSources: [], cwd: '/tmp', tools: [], engine: { callModel } },
    });
    onTestFinished(() => running.drain(0));
    const results: string[] = [];
    for (const prompt of ['Hello.', command, 'And now?']) {
      const { uuid, cursor } = await client.send('s1', prompt);
      for await (const { message } of client.follow('s1', { from: cursor, until: uuid }))
        if (message.type === 'result' && message.subtype === 'success') results.push(message.result);
    }
    expect(results).toEqual([
      's1: 1',
      expect.stringMatching(
        /^A session in a database keeps its conversation, .* turnwright send <new session>/,
      ),
      's1: 3',
    ]);
    expect((await client.sessions()).map(({ sessionId }) => sessionId)).toEqual(['s1']);
  },
);
