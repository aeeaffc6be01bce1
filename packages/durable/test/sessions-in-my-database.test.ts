/** docs/recipes/sessions-in-my-database.md, followed literally on the Postgres of this test run. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { followPage, reader } from '@turnwright/test/front-door/reader.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { test } from 'vitest';

test('a reader of the page resumes a session that is nowhere but in the table', async () => {
  const someone = await reader(({ body }) => {
    const said = JSON.stringify(body['messages']);
    const [, name] = /my name is (\w+)/i.exec(said) ?? [];
    return reply(name === undefined ? 'I do not know your name.' : `Your name is ${name}.`);
  });
  someone.env['DATABASE_URL'] = newDatabase();
  mkdirSync(join(someone.env['HOME'] ?? '', '.claude'), { recursive: true });
  await followPage('docs/recipes/sessions-in-my-database.md', someone, { installed: ['pg'] });
}, 300_000);
