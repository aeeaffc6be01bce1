/**
 * R2: the disk refuses the n-th call of a session, once or from then on, in whole or after a part of the bytes; then it
 * has room again. And a disk that is really full.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SDKMessage } from '@turnwright/engine';
import { onTestFinished } from 'vitest';
import { type FaultPlan, faultyFiles } from '../../faulty-files.ts';
import { checkPrefix } from '../../session/check-prefix.ts';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';
import { entriesOf, wrongEffects } from './crash/judge.ts';
import { effectsIn, openScripted, PROMPT, type Script } from './crash/scripted-session.ts';

type Plan = Omit<FaultPlan, 'onFault'>;

const HANGS_AFTER_MS = 20_000;
const NAMED_WITHIN_MS = 1000;
const KINDS = (['ENOSPC', 'EIO', 'EDQUOT', 'EACCES', 'EMFILE'] as const).flatMap((code) =>
  [false, true].flatMap((sticky) => [0, 0.4, 1].map((part) => ({ code, sticky, part }))),
);

row('R2', async ({ figures, size, seed, corpus, keep }) => {
  const folder = memoryFolder();
  const iterations = size(8, 16);
  const found: Found = { hang: [], uncaught: [], silent: [], late: [], damaged: [], left: [], effects: [] };
  const onUncaught = (error: unknown) => found.uncaught.push(String(error));
  process.on('unhandledRejection', onUncaught);
  process.on('uncaughtException', onUncaught);
  onTestFinished(() => {
    process.off('unhandledRejection', onUncaught);
    process.off('uncaughtException', onUncaught);
  });

  const whole = faultyFiles({ at: Number.POSITIVE_INFINITY, code: 'EIO' });
  await session(
    { folder: join(folder, 'whole'), iterations, seed, durability: 'power' },
    whole.files,
    () => undefined,
  );
  const calls = whole.calls();
  const plans: Plan[] = KINDS.flatMap((kind, index) =>
    Array.from({ length: calls }, (_, at): Plan => ({ ...kind, at: at + 1 })).filter(
      ({ at }) => at % size(16, 1) === index % size(16, 1),
    ),
  );
  let injections = 0;
  for (const [index, plan] of [...corpus<Plan>(), ...plans].entries()) {
    const before = problems(found);
    const durability = index % 2 === 0 ? 'power' : 'process';
    const script: Script = { folder: join(folder, String(index)), iterations, seed, durability };
    let firedAt: number | undefined;
    const faulty = faultyFiles({
      ...plan,
      onFault: () => {
        firedAt ??= performance.now();
      },
    });
    await judged(JSON.stringify(plan), script, faulty.files, faulty.repair, () => firedAt, found);
    if (firedAt !== undefined) injections++;
    if (problems(found) > before) keep(plan);
    rmSync(script.folder, { recursive: true, force: true });
  }
  const full = await fullDisks(size(2, 12), folder, seed, found);

  figures.atLeast('calls of a session that write', calls, 50);
  figures.atLeast('faults injected', injections, size(80, 2000));
  figures.atLeast('file systems that were really full', full, canMount() ? size(2, 12) : 0);
  figures.none('sessions that hang', found.hang);
  figures.none('errors that were not caught', found.uncaught);
  figures.none('records lost in silence', found.silent);
  figures.none(`losses named later than ${NAMED_WITHIN_MS} ms`, found.late);
  figures.none('journals that are damaged, or out of order', found.damaged);
  figures.none('records not written although the disk had room again', found.left);
  figures.none('tools that ran twice, or without a record', found.effects);
});

type Found = Record<'hang' | 'uncaught' | 'silent' | 'late' | 'damaged' | 'left' | 'effects', string[]>;
const problems = (found: Found): number => Object.values(found).reduce((sum, { length }) => sum + length, 0);

interface Ended {
  readonly messages: readonly SDKMessage[];
  readonly thrown: readonly unknown[];
  /** When the first word about the disk came. */
  readonly namedAt: number | undefined;
  /** The second submission, with room on the disk, came to a result. */
  readonly hasGoneOn: boolean;
}

/** Two submissions, between which the disk is repaired. */
async function session(script: Script, files: PersistentFiles, repair: () => void): Promise<Ended | 'hang'> {
  const messages: SDKMessage[] = [];
  const thrown: unknown[] = [];
  let namedAt: number | undefined;
  const named = () => {
    namedAt ??= performance.now();
  };
  const { engine } = openScripted(script, { files });
  const submit = async (prompt: string) => {
    let result: SDKMessage | undefined;
    try {
      for await (const message of engine.submitMessage(prompt)) {
        messages.push(message);
        if (message.type === 'result') result = message;
        if (isAboutDisk(message)) named();
      }
    } catch (error) {
      thrown.push(error);
      named();
    }
    return result;
  };
  const run = async (): Promise<Ended> => {
    await submit(PROMPT);
    repair();
    const last = await submit('Is there room again?');
    await engine.close().catch((error: unknown) => {
      thrown.push(error);
      named();
    });
    const hasGoneOn = last?.type === 'result' && last.subtype === 'success';
    return { messages, thrown, namedAt, hasGoneOn };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'hang'>((resolve) => {
    timer = setTimeout(() => resolve('hang'), HANGS_AFTER_MS);
  });
  const ended = await Promise.race([run(), late]);
  clearTimeout(timer);
  return ended;
}

const isAboutDisk = (message: SDKMessage): boolean =>
  /ENOSPC|EIO|EDQUOT|EACCES|EMFILE|storage|disk|session_writes_lost/.test(JSON.stringify(message));

async function judged(
  what: string,
  script: Script,
  files: PersistentFiles,
  repair: () => void,
  firedAt: () => number | undefined,
  found: Found,
): Promise<void> {
  const ended = await session(script, files, repair);
  if (ended === 'hang') {
    found.hang.push(what);
    return;
  }
  const { messages, thrown, namedAt, hasGoneOn } = ended;
  const unnamed = thrown.find((error) => typeof (error as { code?: unknown }).code !== 'string');
  if (unnamed !== undefined) found.uncaught.push(`${what}: ${unnamed}`);
  try {
    const entries = await entriesOf(script);
    if (entries.length > 0) checkPrefix(entries);
    entries.forEach(({ seq }, index) => {
      if (seq !== index + 1) found.damaged.push(`${what}: record ${index + 1} is ${seq}`);
    });
    const recorded = new Set(entries.flatMap((entry) => ('uuid' in entry ? [entry.uuid] : [])));
    const missing = messages.filter(
      (message) =>
        (message.type === 'assistant' || message.type === 'user') && !recorded.has(message.uuid ?? ''),
    );
    if (missing.length > 0) {
      if (namedAt === undefined) found.silent.push(`${what}: ${missing.length} messages`);
      else if (namedAt - (firedAt() ?? namedAt) > NAMED_WITHIN_MS) found.late.push(what);
      if (hasGoneOn) found.left.push(`${what}: ${missing.length} messages`);
    }
    found.effects.push(...wrongEffects(effectsIn(script), entries).map((one) => `${what}: ${one}`));
  } catch (error) {
    found.damaged.push(`${what}: ${error}`);
  }
}

/** A file system of a few hundred kilobytes, which a file of ballast leaves no room in until the repair. */
async function fullDisks(count: number, folder: string, seed: number, found: Found): Promise<number> {
  if (!canMount()) return 0;
  for (let n = 0; n < count; n++) {
    const place = join(folder, `full-${n}`);
    mkdirSync(place);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', place]);
    try {
      const ballast = join(place, 'ballast');
      writeFileSync(ballast, Buffer.alloc((1 << 20) - 4096 * (4 + n)));
      const script: Script = {
        folder: join(place, 's'),
        iterations: 12,
        seed: seed + n,
        durability: 'process',
      };
      const { nodeFiles } = await import('@turnwright/base/files/node-files.ts');
      await judged(
        `full disk ${n}`,
        script,
        nodeFiles,
        () => rmSync(ballast),
        () => undefined,
        found,
      );
      if (existsSync(ballast)) found.hang.push(`full disk ${n}: not repaired`);
      const open = openBelow(place);
      if (open.length > 0) found.uncaught.push(`full disk ${n}: still open: ${open}`);
    } finally {
      execFileSync('umount', ['-l', place]);
    }
  }
  return count;
}

/** Files of this process below a folder. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
