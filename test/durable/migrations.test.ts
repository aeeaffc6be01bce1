import { expect, onTestFinished, test, vi } from 'vitest';
import { checkTables, prepareDatabase, TABLES_VERSION } from '../../src/durable/index.ts';
import { migrate } from '../../src/durable/postgres/migrations.ts';
import { newDatabase } from './cluster.ts';
import { openedEmpty } from './opened.ts';

test('tables are made once, although several callers ask at the same time', async () => {
  const db = await openedEmpty();
  await expect(checkTables(db.run)).rejects.toThrow('turnwright durable migrate');
  const made = await Promise.all([migrate(db), migrate(db), migrate(db)]);
  expect(made.map(({ from }) => from).toSorted()).toEqual([0, TABLES_VERSION, TABLES_VERSION]);
  await checkTables(db.run);
});

test('tables of a newer version are refused, and stay as they are', async () => {
  const db = await openedEmpty();
  await migrate(db);
  await db.run("insert into turnwright.migrations (version, name) values (99, 'of tomorrow')");
  await expect(checkTables(db.run)).rejects.toThrow('version 99, newer than this package');
  await expect(migrate(db)).rejects.toThrow('update turnwright on this machine');
});

test('a database is prepared without a word on stdout', async () => {
  const said = vi.spyOn(console, 'log');
  onTestFinished(() => said.mockRestore());
  await prepareDatabase(newDatabase());
  expect(said).not.toHaveBeenCalled();
});
