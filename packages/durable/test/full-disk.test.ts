/** Writes fail for a while, as they do when the disk of the database is full: sessions wait, and go on when they do not. */

import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { forgotten, judge, resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, type Fleet, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const SCENARIO = JSON.stringify({ rounds: 3, modelMs: 400, toolMs: 50 });
/** Attempts to write that a run has ended, until there is room. */
const ATTEMPTS = 8;

const clientOf = ({ url }: Fleet) => {
  const client = durableClient(url);
  onTestFinished(() => client.close());
  return client;
};

/** `when`: SQL that says whether a write fails. A sequence counts: it is not undone with the statement. */
const failing = ({ database }: Fleet, when: string, ...triggers: readonly string[]) =>
  database.run(`
    create sequence attempts;
    create function fail() returns trigger language plpgsql as $$ begin
      if ${when} then raise exception 'could not extend file: No space left on device' using errcode = '53100'; end if;
      return new;
    end $$;
    ${triggers.map((on, at) => `create trigger fail_${at} before ${on} execute function fail();`).join('\n')}`);

test('that a run has ended cannot be written for a while: the next run of its session does not wait for it', async () => {
  const fleet = await startFleet();
  const client = clientOf(fleet);
  await failing(
    fleet,
    `nextval('attempts') <= ${ATTEMPTS}`,
    "update of status on turnwright_dbos.workflow_status for each row when (new.status = 'SUCCESS')",
  );
  await fleet.start('rounds.ts', { SCENARIO });
  await client.send('s1', 'Go.');
  await eventually(async () => (await client.status('s1'))?.state === 'idle');
  await client.send('s1', 'On.');
  const answered = async () => (await resultsOf(fleet)).get('s1') === 2;
  await eventually(answered, { limitMs: 60_000, describe: () => client.status('s1') });
});

test('nothing can be written for some seconds: every session ends well, none is set aside or stays queued', async () => {
  const fleet = await startFleet();
  const client = clientOf(fleet);
  await fleet.database.run('create table full_disk ()');
  await failing(
    fleet,
    `exists (select from full_disk) and nextval('attempts') > 0`,
    'insert or update on turnwright.sessions for each row',
    'insert on turnwright.journal for each row',
    'insert on turnwright.blobs for each row',
    'insert or update on turnwright_dbos.workflow_status for each row',
  );
  const worker = await fleet.start('rounds.ts', { SCENARIO });
  const ids = Array.from({ length: 6 }, (_, at) => `session-${at}`);
  for (const id of ids) await client.send(id, 'Go.');
  await eventually(() => new Set(fleet.ledger().map(({ sessionId }) => sessionId)).size === ids.length);
  await fleet.database.run('insert into full_disk default values');
  const attempts = async () =>
    Number((await fleet.database.run<{ n: string }>('select last_value as n from attempts'))[0]?.n);
  await eventually(async () => (await attempts()) > 30);
  await expect(client.send('another', 'Go.')).rejects.toThrow(/^The disk of the server at .* is full/);
  const doctor = () => commandLine(['durable', 'doctor', '--db', fleet.url]);
  expect(await doctor()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^failed {2}writes: The disk of the server at .* is full/m),
  });
  await fleet.database.run('delete from full_disk');
  expect(await doctor()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {6}writes: /m) });
  expect(await fleet.database.run("select 1 from turnwright.blobs where session_id = 'doctor'")).toEqual([]);
  for (const id of ids)
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: async () => [await client.status(id), worker.stderr()],
    });
  const { rerun, doubled, lost } = judge(fleet.ledger());
  expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
  expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
  expect(await forgotten(fleet.database)).toEqual([]);
  expect(worker.child.exitCode).toBe(null);
});
