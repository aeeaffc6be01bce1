/** What the command line takes for a session of a database, or for a question of it. */

import type { OpenQuestion } from '@turnwright/durable';
import { expect, test } from 'vitest';
import { sessionToSendTo, wholeQuestion, wholeSession } from '../../packages/cli/src/durable/whole-ids.ts';
import { openedClient, openedDatabase } from './opened.ts';

const opened = async () => ({ client: openedClient(await openedDatabase()) });

const ID = 'abcd1111-0000-4000-8000-000000000001';
const OTHER = 'abcd2222-0000-4000-8000-000000000002';

test('a session is named by the beginning of its id, which only one must have', async () => {
  const { client } = await opened();
  for (const id of [ID, OTHER, 's1', 's10']) await client.send(id, 'Hello.');
  expect(await wholeSession('abcd1', client)).toBe(ID);
  expect(await wholeSession('ABCD2', client)).toBe(OTHER);
  expect(await wholeSession('s1', client)).toBe('s1');
  expect(await wholeSession('none', client)).toBe('none');
  await expect(wholeSession('abcd', client)).rejects.toThrow(
    /^The ids of 2 sessions begin with "abcd": type more of the one that you mean\.\n {2}abcd2222-\S+ {2}queued/,
  );
});

test('a prompt for a name that no session has begins one, unless the name is the beginning of an id', async () => {
  const { client } = await opened();
  for (const id of [ID, 's10']) await client.send(id, 'Hello.');
  expect(await sessionToSendTo('s1', client)).toBe('s1');
  expect(await sessionToSendTo('abcd', client)).toBe('abcd');
  expect(await sessionToSendTo('abcd1111', client)).toBe(ID);
  expect(await sessionToSendTo(ID, client)).toBe(ID);
});

test('a question is named so, too', async () => {
  const asked = (askId: string) => ({ askId, toolName: 'Bash' }) as OpenQuestion;
  const { client } = await opened();
  const asking = {
    ...client,
    status: async () => ({ questions: [asked('q-1'), asked('q-2'), asked('r-1')] }) as never,
  };
  expect(await wholeQuestion('r', 's1', asking)).toBe('r-1');
  expect(await wholeQuestion('x', 's1', asking)).toBe('x');
  await expect(wholeQuestion('q', 's1', asking)).rejects.toThrow('The ids of 2 questions begin with "q"');
});
