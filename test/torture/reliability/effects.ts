/**
 * R4: a session is killed, carried on by the next process, killed again … until it is done. No effect occurs twice, none
 * without a record before it, and none is lost in silence.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@turnwright/testing';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';
import { entriesOf, resultIdsOf, wrongEffects } from './crash/judge.ts';
import { inLanes, sessionProcesses } from './crash/processes.ts';
import { effectsIn, placesOf, type Script } from './crash/scripted-session.ts';

interface Chain {
  readonly seed: number;
}

row('R4', async ({ figures, size, seed, replay, corpus, keep }) => {
  const folder = memoryFolder();
  const run = await sessionProcesses();
  const chains: Chain[] = replay
    ? [{ seed }]
    : [...corpus<Chain>(), ...Array.from({ length: size(1, 24) }, (_, index) => ({ seed: seed + index }))];
  const wrong: string[] = [];
  const silent: string[] = [];
  const unfinished: string[] = [];
  let kills = 0;
  let effects = 0;
  let unknown = 0;

  await inLanes(2, chains, async (chain) => {
    const random = seededRandom(chain.seed);
    const script: Script = {
      folder: join(folder, String(chain.seed)),
      iterations: size(12, 40),
      seed: chain.seed,
      durability: 'process',
    };
    let isDone = false;
    for (let life = 0; life < 200 && !isDone; life++) {
      const hasPrompt = (await entriesOf(script)).some(({ type }) => type === 'user');
      // Nothing was acknowledged, and a session whose file is there is not begun again.
      if (!hasPrompt) rmSync(placesOf(script).sessions, { recursive: true, force: true });
      const killAt = 1 + Math.floor(random() * 40);
      const ended = await run({ script, resume: hasPrompt, killAt, part: random() < 0.3 ? random() : 0 });
      isDone = !ended.killed;
      if (ended.killed) kills++;
    }
    const of = (what: string) => `seed ${chain.seed}: ${what}`;
    const entries = await entriesOf(script);
    const bad = wrongEffects(effectsIn(script), entries);
    wrong.push(...bad.map(of));
    if (!isDone || !entries.some(({ type }) => type === 'result')) unfinished.push(of('no result'));

    // What ran has its own result, or one that says that its outcome is unknown; what says it ran has run.
    const lines = new Set(effectsIn(script));
    effects += [...lines].filter((line) => line.startsWith('ended ')).length;
    const acts = entries.filter((entry) => entry.type === 'intent' && entry.toolName === 'Act');
    for (const entry of acts) {
      const id = (entry as { toolUseId: string }).toolUseId;
      const result = entries.find((one) => one.type === 'user' && resultIdsOf(one).includes(id));
      const text = JSON.stringify(result ?? null);
      if (text.includes(`acted: ${id}`)) {
        if (!lines.has(`ended ${id}`)) silent.push(of(`${id} has a result and no effect`));
      } else if (/unknown/.test(text)) unknown++;
      else silent.push(of(`${id} has the result ${text.slice(0, 300)}`));
    }
    if (bad.length > 0 || silent.length > 0 || unfinished.length > 0) keep(chain);
    rmSync(script.folder, { recursive: true, force: true });
  });

  figures.atLeast('kills of sessions that were carried on', kills, size(5, 250));
  figures.atLeast('effects', effects, size(5, 500));
  figures.atLeast('calls answered "outcome unknown"', unknown, size(0, 1));
  figures.none('effects that occurred twice, or without a record', wrong);
  figures.none('effects without a true result', silent);
  figures.none('sessions that came to no end', unfinished);
});
