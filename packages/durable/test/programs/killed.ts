/**
 * A worker that kills itself at one point of a session: `KILL` is `<session> append <n> before|after`, counted in
 * writes to that session's journal, or `<session> effect <tool use id>`.
 */
import pg from 'pg';
import { type Scenario, scriptedAnswer, scriptedTools, scriptedWorker } from './scripted.ts';

const [target = '', kind, at = '', side] = (process.env['KILL'] ?? '').split(' ');
const scenario = JSON.parse(process.env['SCENARIO'] ?? '') as Scenario;
const die = () => process.kill(process.pid, 'SIGKILL');

if (kind === 'append') {
  let appends = 0;
  const query = pg.Client.prototype.query as unknown as (this: pg.Client, ...given: unknown[]) => unknown;
  const counted = function (this: pg.Client, ...given: unknown[]): unknown {
    const [statement] = given as [{ readonly text?: string; readonly values?: readonly unknown[] }];
    const isAppend =
      statement.text?.includes('insert into turnwright.journal') === true &&
      (statement.values?.[0] as readonly string[] | undefined)?.includes(target) === true;
    if (isAppend) appends += 1;
    if (!isAppend || appends !== Number(at)) return query.apply(this, given);
    if (side === 'before') die();
    // Acknowledged by the server, but the worker dies before it acts on it.
    const done = given.find((one): one is (...of: unknown[]) => void => typeof one === 'function');
    if (done === undefined) return (query.apply(this, given) as Promise<unknown>).then(die);
    return query.apply(
      this,
      given.map((one) => (one === done ? die : one)),
    );
  };
  pg.Client.prototype.query = counted as typeof pg.Client.prototype.query;
}

const tools = scriptedTools(scenario, (toolUseId) => {
  if (kind === 'effect' && toolUseId === at) die();
});
await scriptedWorker(scriptedAnswer(scenario), { engine: { tools } });
