/** R1a: SIGKILL at every call that changes the disk, before it, in the middle of its bytes and behind them. */
import { join } from 'node:path';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';
import { judge, uninterruptedBody } from './crash/judge.ts';
import { inParts, layOut, type Part } from './crash/parts.ts';
import { inLanes, sessionProcesses } from './crash/processes.ts';
import type { Script, SentBody } from './crash/scripted-session.ts';

interface Kill {
  readonly seed: number;
  /** The part of the session that is killed, from 0. */
  readonly within: number;
  /** The number of the call in this part, from 1. */
  readonly at: number;
  /** Of its bytes. */
  readonly part: number;
}

/** A few more than the target: a part may end before the call that it was to be killed at. */
const KILLS = 2_100;
const LANES = 2;

row('R1a', async ({ figures, quick, size, seed, random, corpus, keep }) => {
  const folder = memoryFolder();
  const run = await sessionProcesses();
  const iterations = size(30, 200);
  const script = (name: string, of: number): Script => ({
    folder: join(folder, name),
    iterations,
    seed: of,
    durability: 'process',
  });
  // Parts hold the path of the folder that they are played in.
  const played = new Map<string, { readonly its: Script; readonly parts: Promise<readonly Part[]> }>();
  const partsOf = (of: number, lane: number) => {
    const name = `${of}-${lane}`;
    const its = script(name, of);
    const known = played.get(name) ?? { its, parts: inParts(its, run) };
    played.set(name, known);
    return known;
  };
  const references = new Map<number, Promise<SentBody>>();
  const uninterrupted = (of: number) => {
    const known = references.get(of) ?? uninterruptedBody(script(`whole-${of}`, of));
    references.set(of, known);
    return known;
  };

  const calls = (await partsOf(seed, 0).parts).map((part) => part.calls);
  const total = calls.reduce((sum, count) => sum + count, 0);
  const every = calls.flatMap((count, within) =>
    Array.from({ length: count }, (_, index) => ({
      seed,
      within,
      at: index + 1,
      part: [0, 0.5, 1][index % 3] as number,
    })),
  );
  const more = Array.from({ length: Math.max(0, size(0, KILLS) - total) }, () => ({
    ...(every[Math.floor(random() * every.length)] as Kill),
    part: random(),
  }));
  const chosen = quick ? every.filter((_, index) => index % 16 === seed % 16) : every;
  const kills: Kill[] = [...corpus<Kill>(), ...chosen, ...more];

  const wrong = {
    lost: [] as string[],
    unreadable: [] as string[],
    unequal: [] as string[],
    effects: [] as string[],
    torn: [] as string[],
  };
  let killed = 0;
  await inLanes(LANES, kills, async (kill, lane) => {
    const { its, parts } = partsOf(kill.seed, lane);
    const begun = (await parts)[kill.within];
    if (begun === undefined) return;
    layOut(its, begun);
    const ended = await run({ script: its, resume: kill.within > 0, killAt: kill.at, part: kill.part });
    if (ended.killed) killed++;
    const acknowledged = [...begun.acknowledged, ...ended.acknowledged];
    const verdict = await judge(its, acknowledged, await uninterrupted(kill.seed));
    let isBad = false;
    for (const what of Object.keys(wrong) as (keyof typeof wrong)[])
      for (const one of verdict[what]) {
        wrong[what].push(`seed ${kill.seed}, part ${kill.within}, call ${kill.at}, ${kill.part}: ${one}`);
        isBad = true;
      }
    if (isBad) keep(kill);
  });

  figures.atLeast('calls that change the disk, each one killed at', total, size(200, 1500));
  figures.atLeast('kills with SIGKILL', killed, size(12, 2000));
  figures.none('sessions that cannot be read', wrong.unreadable);
  figures.none('acknowledged records lost', wrong.lost);
  figures.none('requests after the resume that differ', wrong.unequal);
  figures.none('tools that ran twice, or without a record', wrong.effects);
  figures.none('files of the user that are neither old nor new', wrong.torn);
});
