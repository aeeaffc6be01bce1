/** R1a: SIGKILL at every call that changes the disk, before it, in the middle of its bytes and behind them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';
import { judge, uninterruptedBody } from './crash/judge.ts';
import { inLanes, sessionProcesses } from './crash/processes.ts';
import type { Script, SentBody } from './crash/scripted-session.ts';

interface Kill {
  readonly seed: number;
  readonly at: number;
  readonly part: number;
}

/** A few more than the target: a run may end before the call that it was to be killed at. */
const KILLS = 2_100;

row('R1a', async ({ figures, quick, size, seed, random, corpus, keep }) => {
  const folder = memoryFolder();
  const run = await sessionProcesses();
  const iterations = size(30, 200);
  const script = (name: string, of = seed): Script => ({
    folder: join(folder, name),
    iterations,
    seed: of,
    durability: 'process',
  });

  const whole = await run({ script: script('whole') });
  const calls = whole.calls as number;
  const uninterrupted = new Map<number, SentBody>();
  const every = Array.from({ length: calls }, (_, index) => ({
    seed,
    at: index + 1,
    part: [0, 0.5, 1][index % 3] as number,
  }));
  const more = Array.from({ length: Math.max(0, size(0, KILLS) - calls) }, () => ({
    seed,
    at: 1 + Math.floor(random() * calls),
    part: random(),
  }));
  const chosen = quick ? every.filter(({ at }) => at % 10 === seed % 10) : every;
  const kills: Kill[] = [...corpus<Kill>(), ...chosen, ...more];

  const wrong = {
    lost: [] as string[],
    unreadable: [] as string[],
    unequal: [] as string[],
    effects: [] as string[],
    torn: [] as string[],
  };
  let killed = 0;
  await inLanes(2, kills, async (kill) => {
    const name = `${kill.seed}-${kill.at}-${Math.round(kill.part * 1e6)}`;
    const its = script(name, kill.seed);
    const reference =
      uninterrupted.get(kill.seed) ?? (await uninterruptedBody(script(`whole-${name}`, kill.seed)));
    uninterrupted.set(kill.seed, reference);
    const ended = await run({ script: its, killAt: kill.at, part: kill.part });
    if (ended.killed) killed++;
    const verdict = await judge(its, ended.acknowledged, reference);
    let isBad = false;
    for (const what of Object.keys(wrong) as (keyof typeof wrong)[])
      for (const one of verdict[what]) {
        wrong[what].push(`seed ${kill.seed}, call ${kill.at}, part ${kill.part}: ${one}`);
        isBad = true;
      }
    if (isBad) keep(kill);
    rmSync(its.folder, { recursive: true, force: true });
  });

  figures.atLeast('calls that change the disk, each one killed at', calls, size(200, 1500));
  figures.atLeast('kills with SIGKILL', killed, size(20, 2000));
  figures.none('sessions that cannot be read', wrong.unreadable);
  figures.none('acknowledged records lost', wrong.lost);
  figures.none('requests after the resume that differ', wrong.unequal);
  figures.none('tools that ran twice, or without a record', wrong.effects);
  figures.none('files of the user that are neither old nor new', wrong.torn);
});
