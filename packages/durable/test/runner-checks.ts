/** What every runner does: the contract of `Runner`, as checks for any test runner. */

import { eventually } from '@turnwright/test/durable/processes.ts';
import type { Check } from '@turnwright/testing';
import { createCheck, type Open } from '@turnwright/testing/checks/check.ts';
import { equal, holds } from '@turnwright/testing/checks/demand.ts';
import type { Database, Executor, Run, Runner } from '../src/index.ts';

/** A runner that knows of no run, and a database with its tables. */
export interface RunnerPlace {
  readonly runner: Runner;
  readonly database: Database;
}

interface Worker extends Executor {
  /** Runs that it was given, in order. */
  readonly begun: string[];
  /** Most that it had at the same time. */
  readonly most: () => number;
  readonly stderr: string[];
  /** Lets the run end. */
  end(run: Run): void;
  fail(run: Run): void;
}

const idOf = ({ sessionId, run }: Run): string => `${sessionId}:${run}`;
const run = (sessionId: string, number = 1, host: string | null = null): Run => ({
  sessionId,
  run: number,
  host,
});

async function start(
  { runner, database }: RunnerPlace,
  workerId: string,
  options: { readonly concurrency?: number; readonly host?: string } = {},
): Promise<Worker> {
  const begun: string[] = [];
  const stderr: string[] = [];
  const waiting = new Map<string, { resolve(): void; reject(error: Error): void }>();
  let most = 0;
  const executor = await runner.start({
    database,
    workerId,
    host: options.host ?? 'here',
    concurrency: options.concurrency ?? 10,
    stderr: (line) => stderr.push(line),
    work(sessionId, number) {
      const id = idOf(run(sessionId, number));
      begun.push(id);
      return new Promise((resolve, reject) => {
        const settle = (settled: () => void) => () => {
          waiting.delete(id);
          settled();
        };
        waiting.set(id, { resolve: settle(resolve), reject: (error) => settle(() => reject(error))() });
        most = Math.max(most, waiting.size);
      });
    },
  });
  return {
    ...executor,
    begun,
    stderr,
    most: () => most,
    end: (one) => waiting.get(idOf(one))?.resolve(),
    fail: (one) => waiting.get(idOf(one))?.reject(new Error('The work failed.')),
  };
}

/** Waits for the last of what a worker has begun, in whatever order sessions side by side begin. */
const began = (worker: Worker, ...runs: readonly Run[]) =>
  eventually(() => runs.every((one) => worker.begun.includes(idOf(one))), { describe: () => worker.begun });

export function runnerChecks(open: Open<RunnerPlace>): readonly Check[] {
  const check = createCheck(open);
  const ask = async ({ runner, database }: RunnerPlace, ...runs: readonly Run[]) => {
    const dispatch = await runner.open(database);
    await database.transaction(async (statement) => {
      for (const one of runs) await dispatch.enqueue(statement, one);
    });
    return dispatch;
  };
  return [
    check('a run begins when the transaction that asks for it commits', async (place) => {
      const worker = await start(place, 'w');
      const dispatch = await place.runner.open(place.database);
      await place.database.transaction(async (statement) => {
        await dispatch.enqueue(statement, run('committed'));
        await ask(place, run('between'));
        await began(worker, run('between'));
        equal(worker.begun, ['between:1']);
      });
      await began(worker, run('committed'));
      for (const id of ['between', 'committed']) worker.end(run(id));
      await worker.stop(10_000);
      await dispatch.close();
    }),
    check('a run whose transaction is rolled back was not asked for', async (place) => {
      const worker = await start(place, 'w');
      const dispatch = await place.runner.open(place.database);
      await place.database
        .transaction(async (statement) => {
          await dispatch.enqueue(statement, run('rolled-back'));
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      await (await ask(place, run('later'))).close();
      await began(worker, run('later'));
      equal(worker.begun, ['later:1']);
      equal(await dispatch.states([run('rolled-back')]), ['gone']);
      worker.end(run('later'));
      await worker.stop(10_000);
      await dispatch.close();
    }),
    check('a run that is asked for again runs once, before and after its end', async (place) => {
      const dispatch = await ask(place, run('s'), run('s'));
      const worker = await start(place, 'w');
      await began(worker, run('s'));
      await (await ask(place, run('s'))).close();
      worker.end(run('s'));
      await eventually(async () => (await dispatch.states([run('s')]))[0] === 'gone');
      await (await ask(place, run('s'), run('later'))).close();
      await began(worker, run('later'));
      equal(worker.begun, ['s:1', 'later:1']);
      worker.end(run('later'));
      await worker.stop(10_000);
      await dispatch.close();
    }),
    check('a session has one run at a time, in order; sessions run side by side', async (place) => {
      const worker = await start(place, 'w');
      const dispatch = await ask(place, run('s', 1), run('s', 2));
      await began(worker, run('s', 1));
      await (await ask(place, run('other'))).close();
      // It was asked for last, so the second run of the first session could have begun before it.
      await began(worker, run('other'));
      equal(worker.begun, ['s:1', 'other:1']);
      equal(await dispatch.states([run('s', 2), run('s', 1), run('none')]), [
        'waiting',
        { heldBy: 'w' },
        'gone',
      ]);
      worker.end(run('s', 1));
      await began(worker, run('s', 2));
      for (const one of [run('s', 2), run('other')]) worker.end(one);
      await worker.stop(10_000);
      equal(await dispatch.states([run('s', 2), run('s', 1)]), ['gone', 'gone']);
      await dispatch.close();
    }),
    check('a worker has as many runs at a time as it takes, and then the next ones', async (place) => {
      const worker = await start(place, 'w', { concurrency: 2 });
      const runs = ['a', 'b', 'c', 'd', 'e'].map((id) => run(id));
      const dispatch = await ask(place, ...runs);
      const ended = new Set<string>();
      while (ended.size < runs.length) {
        await eventually(() => worker.begun.some((id) => !ended.has(id)));
        for (const one of runs)
          if (worker.begun.includes(idOf(one)) && !ended.has(idOf(one))) {
            ended.add(idOf(one));
            worker.end(one);
          }
      }
      equal(worker.begun.toSorted(), runs.map(idOf));
      holds(worker.most() <= 2, `at most 2 runs at a time, not ${worker.most()}`);
      await worker.stop(10_000);
      await dispatch.close();
    }),
    check('a run that is bound to a host waits for a worker of that host', async (place) => {
      const dispatch = await ask(place, run('bound', 1, 'there'));
      const here = await start(place, 'w1', { host: 'here' });
      await (await ask(place, run('any'))).close();
      await began(here, run('any'));
      equal(here.begun, ['any:1']);
      equal(await dispatch.states([run('bound')]), ['waiting']);
      here.end(run('any'));
      await here.stop(10_000);
      const there = await start(place, 'w2', { host: 'there' });
      await began(there, run('bound'));
      there.end(run('bound'));
      await there.stop(10_000);
      await dispatch.close();
    }),
    check('a worker that stops ends what it has, and leaves the rest to the next one', async (place) => {
      const first = await start(place, 'w1');
      const dispatch = await ask(place, run('s'));
      await began(first, run('s'));
      let hasStopped = false;
      const stopping = first.stop(30_000).then(() => {
        hasStopped = true;
      });
      await (await ask(place, run('next'))).close();
      equal(await dispatch.states([run('s'), run('next')]), [{ heldBy: 'w1' }, 'waiting']);
      equal(hasStopped, false);
      first.end(run('s'));
      await stopping;
      const second = await start(place, 'w2');
      await began(second, run('next'));
      equal([first.begun, second.begun], [['s:1'], ['next:1']]);
      second.end(run('next'));
      await second.stop(10_000);
      await dispatch.close();
    }),
    check(
      'what a worker has not ended is handed over, and its late end is not that of the run',
      async (place) => {
        const first = await start(place, 'w1');
        const dispatch = await ask(place, run('a'), run('b'));
        await began(first, run('a'), run('b'));
        await first.stop(0);
        equal(await dispatch.states([run('a'), run('b')]), [{ heldBy: 'w1' }, { heldBy: 'w1' }]);
        const second = await start(place, 'w2');
        equal(await dispatch.handOver(place.database.run, 'w1'), 2);
        equal(await dispatch.handOver(place.database.run, 'w1'), 0);
        await began(second, run('a'), run('b'));
        first.end(run('a'));
        first.fail(run('b'));
        await (await ask(place, run('later'))).close();
        await began(second, run('later'));
        equal(await dispatch.states([run('a'), run('b')]), [{ heldBy: 'w2' }, { heldBy: 'w2' }]);
        equal(second.begun.length, 3);
        for (const id of ['a', 'b', 'later']) second.end(run(id));
        await second.stop(10_000);
        equal(await dispatch.states([run('a'), run('b')]), ['gone', 'gone']);
        await dispatch.close();
      },
    ),
    check('of the runs of a worker, those that are named are handed over', async (place) => {
      const first = await start(place, 'w1');
      const dispatch = await ask(place, run('a'), run('b'));
      await began(first, run('a'), run('b'));
      await first.stop(0);
      await dispatch.handOverRuns([run('a'), run('none')]);
      const second = await start(place, 'w2');
      await began(second, run('a'));
      const [a, b, none] = await dispatch.states([run('a'), run('b'), run('none')]);
      equal([a, b, none], [{ heldBy: 'w2' }, { heldBy: 'w1' }, 'gone']);
      equal(second.begun, ['a:1']);
      equal(await dispatch.handOver(place.database.run, 'w1'), 1);
      await began(second, run('b'));
      for (const id of ['a', 'b']) second.end(run(id));
      await second.stop(10_000);
      await dispatch.close();
    }),
    check('work that rejects ends its run, and the session goes on with the next one', async (place) => {
      const worker = await start(place, 'w');
      const dispatch = await ask(place, run('s', 1), run('s', 2));
      await began(worker, run('s', 1));
      worker.fail(run('s', 1));
      await began(worker, run('s', 2));
      worker.end(run('s', 2));
      await worker.stop(10_000);
      equal(worker.begun, ['s:1', 's:2']);
      await dispatch.close();
    }),
    check('runs that have ended are forgotten, those that have not are not', async (place) => {
      const worker = await start(place, 'w', { concurrency: 1 });
      const dispatch = await ask(place, run('ended'));
      await began(worker, run('ended'));
      worker.end(run('ended'));
      await eventually(async () => (await dispatch.states([run('ended')]))[0] === 'gone');
      await (await ask(place, run('running'))).close();
      await began(worker, run('running'));
      await (await ask(place, run('waiting'))).close();
      await dispatch.prune(Date.now() + 60_000);
      equal(await dispatch.states([run('running'), run('waiting')]), [{ heldBy: 'w' }, 'waiting']);
      // What is not known any more can be asked for.
      await (await ask(place, run('ended'))).close();
      equal(await dispatch.states([run('ended')]), ['waiting']);
      worker.end(run('running'));
      await eventually(() => worker.begun.length === 3);
      for (const id of ['waiting', 'ended']) worker.end(run(id));
      await eventually(() => worker.begun.length === 4);
      for (const id of ['waiting', 'ended']) worker.end(run(id));
      await worker.stop(10_000);
      await dispatch.close();
    }),
  ];
}
