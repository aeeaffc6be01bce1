import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedEmpty } from '@turnwright/test/durable/opened.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkTables, pendingMigrations, prepareDatabase, TABLES_VERSION } from '../src/index.ts';
import { migrate } from '../src/postgres/tables/migrations.ts';

test('tables are made once, although several callers ask at the same time', async () => {
  const db = await openedEmpty();
  await expect(checkTables(db.run)).rejects.toThrow('turnwright durable migrate');
  const made = await Promise.all([migrate(db), migrate(db), migrate(db)]);
  expect(made.map(({ from }) => from).toSorted()).toEqual([0, TABLES_VERSION, TABLES_VERSION]);
  await checkTables(db.run);
});

test('tables of a newer version are refused where they do not serve this package, and stay as they are', async () => {
  const db = await openedEmpty();
  await migrate(db);
  const add = (version: number, serves: number) =>
    db.run('insert into turnwright.versions (version, serves, name) values ($1, $2, $3)', [
      version,
      serves,
      'of tomorrow',
    ]);
  const later = TABLES_VERSION + 1;
  await add(later, TABLES_VERSION);
  expect(await checkTables(db.run)).toBe(later);
  expect(await migrate(db)).toEqual({ from: later, to: later });
  expect(await pendingMigrations(db.url)).toContain('tables of the runner');
  await add(later + 1, later);
  const refused = `have version ${later + 1}, which serves packages from ${later} on, and this package knows ${TABLES_VERSION}: update turnwright on this machine.`;
  for (const attempt of [() => checkTables(db.run), () => migrate(db), () => pendingMigrations(db.url)])
    await expect(attempt()).rejects.toThrow(refused);
});

test('what packages without a range are shown says no more than they have to refuse', async () => {
  const db = await openedEmpty();
  await migrate(db);
  const shown = 'select max(version) as version from turnwright.migrations';
  expect(await db.run(shown)).toEqual([{ version: 2 }]);
  // By hand, or by a package that knows no range either.
  await db.run("insert into turnwright.migrations (version, name) values (99, 'of tomorrow')");
  await expect(checkTables(db.run)).rejects.toThrow('serves packages from 99 on');
});

test('a step waits for no backup: it says so and changes nothing', async () => {
  const db = await openedEmpty();
  await migrate(db);
  await db.run(
    `delete from turnwright.versions where version in (4, 5);
       drop table turnwright.tenant_limits, turnwright.spending, turnwright.reservations;
       drop index turnwright.sessions_by_tenant;
       alter table turnwright.sessions drop held_at, drop place_until, drop owner, drop kept_from;
       drop trigger refuse_removed on turnwright.sessions;
       drop function turnwright.refuse_removed;
       drop table turnwright.removed`,
  );
  const dump = await db.connect();
  await dump.run('begin; lock turnwright.sessions in access share mode');
  await expect(migrate(db)).rejects.toThrow('Another program uses the tables');
  await dump.close();
  expect(await migrate(db)).toMatchObject({ to: TABLES_VERSION });
});

test('migrate --check says what would be done, and its exit code tells them apart', async () => {
  const url = newDatabase();
  const check = () => commandLine(['durable', 'migrate', '--check', '--db', url]);
  expect(await check()).toMatchObject({
    code: 3,
    stdout:
      'To be applied: sessions and their journals; limits of model requests; which prompts have their results, and since when a run waits; limits of tenants; owners of sessions, and sessions that were taken out; tables of the runner.\n',
  });
  await prepareDatabase(url);
  expect(await check()).toMatchObject({ code: 0, stdout: 'Nothing is to be done.\n' });
  const db = await openedEmpty(url);
  await db.run("insert into turnwright.migrations (version, name) values (99, 'of tomorrow')");
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringContaining('update turnwright') });
});

test('a database is prepared without a word on stdout', async () => {
  const said = vi.spyOn(console, 'log');
  onTestFinished(() => said.mockRestore());
  await prepareDatabase(newDatabase());
  expect(said).not.toHaveBeenCalled();
});
