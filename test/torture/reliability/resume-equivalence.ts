/** R3: a journal that ends anywhere, at a record or inside of one, is resumed; what is sent then is what would have been. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';
import { inequality } from './crash/equal-requests.ts';
import {
  AFTERWARDS,
  entriesOf,
  placeless,
  requestAfterResume,
  requestOf,
  resultIdsOf,
  uninterruptedBody,
} from './crash/judge.ts';
import { placesOf, type Script, SESSION, type SentBody } from './crash/scripted-session.ts';

interface Cut {
  readonly seed: number;
  readonly iterations: number;
  readonly bytes: number;
  readonly way: 'new prompt' | 'carried on';
}

row('R3', async ({ figures, size, seed, random, corpus, keep }) => {
  const folder = memoryFolder();
  const runs = new Map<string, Promise<Uninterrupted>>();
  const runOf = (iterations: number, of: number): Promise<Uninterrupted> => {
    const key = `${iterations}-${of}`;
    const run =
      runs.get(key) ??
      uninterruptedRun({ folder: join(folder, key), iterations, seed: of, durability: 'process' });
    runs.set(key, run);
    return run;
  };

  const iterations = size(24, 200);
  const { journal } = await runOf(iterations, seed);
  const ends = [...journal.keys()].filter((at) => journal[at] === 10).map((at) => at + 1);
  const cuts: Cut[] = ends.flatMap((end, index) => {
    const inside = end + Math.floor(random() * ((ends[index + 1] ?? end) - end));
    const each = (bytes: number, way: Cut['way']): Cut => ({ seed, iterations, bytes, way });
    return [
      each(end, 'new prompt'),
      ...(index % 3 === seed % 3 ? [each(end, 'carried on')] : []),
      ...(index % 4 === seed % 4 ? [each(inside, 'new prompt')] : []),
    ];
  });

  const differing: string[] = [];
  let compared = 0;
  for (const cut of [...corpus<Cut>(), ...cuts]) {
    const why = await compare(cut, await runOf(cut.iterations, cut.seed)).catch((error) =>
      String(error?.stack),
    );
    if (why === 'nothing to resume') continue;
    compared++;
    if (why === undefined) continue;
    differing.push(`${JSON.stringify(cut)}: ${why}`);
    keep(cut);
  }
  figures.atLeast('iterations of the session', iterations, size(24, 200));
  figures.atLeast('resumes compared, one or more for every record', compared, size(150, 2000));
  figures.none('requests that differ from those without a crash', differing);
});

interface Uninterrupted {
  readonly script: Script;
  readonly journal: Buffer;
  readonly body: SentBody;
}

const journalOf = (script: Script): string => join(placesOf(script).sessions, `${SESSION}.jsonl`);

async function uninterruptedRun(script: Script): Promise<Uninterrupted> {
  const body = await uninterruptedBody(script);
  return { script, body, journal: readFileSync(journalOf(script)) };
}

async function compare(cut: Cut, { script, journal, body }: Uninterrupted): Promise<string | undefined> {
  const its = { ...script, folder: `${script.folder}-cut` };
  // The history of its files lies beside the journal.
  cpSync(placesOf(script).sessions, placesOf(its).sessions, { recursive: true });
  writeFileSync(journalOf(its), journal.subarray(0, cut.bytes));
  try {
    const entries = await entriesOf(its);
    if (!entries.some(({ type }) => type === 'user')) return 'nothing to resume';
    const acknowledged = new Set(
      entries.flatMap((entry) => (entry.type === 'user' ? resultIdsOf(entry) : [])),
    );
    if (cut.way === 'new prompt')
      return inequality(body, placed(await requestAfterResume(its), script, its), acknowledged, AFTERWARDS);
    const request = await requestOf(its, (engine) => engine.resume());
    if (request === undefined) return 'nothing to resume';
    return inequality(body, placed(request, script, its), acknowledged, undefined);
  } finally {
    rmSync(its.folder, { recursive: true, force: true });
  }
}

/** Records say where the session was at first, new calls where it is now. */
const placed = (body: SentBody, script: Script, its: Script): SentBody =>
  placeless(placeless(body, its), script);
