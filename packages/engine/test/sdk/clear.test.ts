import { prompt, pushable, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { SDKResultMessage } from '../../src/index.ts';

it('a prompt that arrives while /clear replaces the session is answered in the session that follows', async () => {
  const { input, push, end } = pushable();
  push(prompt('First.'));
  const { query } = queryUnderTest([say('One.'), say('Two.')], input);
  const results: SDKResultMessage[] = [];
  for await (const message of query) {
    if (message.type !== 'result') continue;
    results.push(message);
    if (results.length === 1) push(prompt('/clear'));
    else if (results.length === 2) push(prompt('Second.'));
    else end();
  }
  expect(results).toMatchObject([{ result: 'One.' }, { local_command: 'clear' }, { result: 'Two.' }]);
  expect(results[2]?.session_id).toBe(results[1]?.session_id);
  expect(results[2]?.session_id).not.toBe(results[0]?.session_id);
});

it('the last prompt of a session, which names it in lists, is what a person asked, not the command that ended it', async () => {
  const { input, push, end } = pushable();
  push(prompt('Mend the parser.'));
  const { query, store } = queryUnderTest([say('Done.')], input);
  const ids: string[] = [];
  for await (const message of query) {
    if (message.type !== 'result') continue;
    ids.push(message.session_id);
    if (ids.length === 1) push(prompt('/clear'));
    else end();
  }
  const kept = ids.flatMap((id) => store.entries(id)).filter(({ type }) => type === 'last-prompt');
  expect(kept).toMatchObject([{ lastPrompt: 'Mend the parser.' }]);
});
