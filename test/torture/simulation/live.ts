/** What befalls one session: prompts, and all that may happen to the process that answers them. */
import type { SDKMessage } from '@turnwright/engine';
import type { Process, World } from './world.ts';

const ENDINGS = ['run', 'interrupt', 'preempt', 'leave', 'throw', 'close', 'crash', 'take over'] as const;
type Ending = (typeof ENDINGS)[number];

/** Of these the submission goes on to its one result. */
const TO_THE_RESULT: readonly Ending[] = ['run', 'interrupt', 'preempt'];

export interface Submitted {
  readonly process: number;
  readonly messages: readonly SDKMessage[];
  /** The consumer stayed to the end, and the process too. */
  readonly whole: boolean;
  readonly error: unknown;
  /** The disk has failed this process. */
  readonly struck: boolean;
}

/** Lives through the whole session. Comes to its end in finite virtual time, whatever was drawn. */
export async function live(world: World): Promise<readonly Submitted[]> {
  const { choices, mood } = world;
  const submitted: Submitted[] = [];
  let process = world.open({ resume: false });
  const submissions = choices.int(1, 3);
  for (let n = 1; n <= submissions; n++) {
    const before = process;
    process = await oneSubmission(process, submitted, `Prompt ${n}.`);
    const usable = process === before && !world.violations.length;
    if (usable && choices.chance(0.2))
      await submit(process, choices.pick(['/compact', '/clear-nothing']), submitted);
    if (choices.chance(0.25)) {
      await close(process);
      process = await reopened(world, process);
    }
  }
  mood.isCalm = true;
  mood.overloads = 0;
  mood.silences = 0;
  process.diskFault = undefined;
  await close(process);
  const last = await reopened(world, process);
  if (choices.chance(0.5)) await collect(last, last.engine.resume(), submitted);
  await submit(last, 'The last prompt.', submitted);
  await submit(last, '/seen', submitted);
  await close(last);
  return submitted;
}

/** Records that the disk did not take are named once more at the end. */
async function close(process: Process): Promise<void> {
  await process.engine.close().catch((error: unknown) => {
    const { violations } = process.world;
    if (!process.diskStruck)
      violations.push(`L10.6 close() threw ${String((error as Error).stack ?? error)}`);
  });
}

/** A new process; what the old one had drawn stays with it. */
async function reopened(world: World, old: Process, takeOver = false): Promise<Process> {
  if (!takeOver) old.kill();
  // It may have died before its first record.
  const resume = (await world.entries()).some(({ type }) => type === 'submission');
  return world.open({ resume, takeOver });
}

async function oneSubmission(process: Process, into: Submitted[], prompt: string): Promise<Process> {
  const { world } = process;
  const { choices } = world;
  const ending = choices.weighted<Ending>(
    [8, 'run'],
    [2, 'interrupt'],
    [2, 'preempt'],
    [1, 'leave'],
    [1, 'throw'],
    [1, 'close'],
    [3, 'crash'],
    [1, 'take over'],
  );
  if (choices.chance(0.1))
    process.diskFault = {
      left: choices.pick([1, 1, 2, 1_000]),
      code: choices.pick(['ENOSPC', 'EIO', 'EDQUOT', 'EACCES', 'EMFILE']),
      part: choices.pick([0, 0, 0.5, 0.99]),
    };
  const stream = process.engine.submitMessage(prompt);
  const messages: SDKMessage[] = [];
  let next = process;
  let isStruck = false;
  let error: unknown;
  let isOver = false;
  let striking = Promise.resolve();
  let release = () => {};
  const gone = new Promise<void>((resolve) => {
    release = resolve;
  });

  const strike = (): Promise<void> => {
    if (isStruck || isOver) return striking;
    isStruck = true;
    striking = strikeNow().catch((failed: unknown) => {
      error ??= failed;
    });
    return striking;
  };
  const strikeNow = async (): Promise<void> => {
    switch (ending) {
      case 'run':
        return;
      case 'interrupt':
        process.engine.interrupt();
        return;
      case 'preempt':
        await process.engine.queue.put({ content: 'Never mind, this instead.', priority: 'now' });
        return;
      case 'leave':
        await stream.return();
        return;
      case 'throw':
        await stream.throw(new Error('of the consumer')).catch(() => undefined);
        return;
      case 'close':
        await close(process);
        next = await reopened(world, process);
        return;
      case 'crash':
        process.kill();
        release();
        next = await reopened(world, process);
        return;
      case 'take over':
        next = await reopened(world, process, true);
        await next.engine.controls.open();
    }
  };

  /** Either after so many messages, or after a time. */
  const atMessage = choices.int(1, 12);
  const byTime = choices.chance(0.4);
  if (byTime) world.clock.timer(choices.int(0, 30_000), () => void strike());
  const steers = choices.chance(0.25) ? choices.int(1, 6) : 0;
  const sleeps = choices.chance(0.05) ? choices.int(1, 6) : 0;
  const lingers = choices.chance(0.1);

  const consume = async () => {
    for await (const message of stream) {
      messages.push(message);
      if (messages.length === steers)
        await process.engine.queue.put({ content: 'By the way.', priority: choices.pick(['next', 'later']) });
      if (messages.length === sleeps) world.clock.standStill(choices.int(1_000, 7_200_000));
      if (lingers) await world.clock.sleep(choices.int(1, 5_000));
      if (!byTime && messages.length === atMessage) {
        if (ending === 'leave') break;
        await strike();
      }
    }
  };
  await Promise.race([
    consume().catch((thrown: unknown) => {
      error = thrown;
    }),
    gone,
  ]);
  isOver = true;
  await striking;
  for (let left = next.engine.queue.take(); left !== undefined; left = next.engine.queue.take());
  into.push({
    process: process.number,
    messages,
    whole:
      next === process &&
      (TO_THE_RESULT.includes(ending) ||
        (!isStruck && !(ending === 'leave' && messages.length === atMessage))),
    error,
    struck: process.diskStruck,
  });
  if (next === process) process.diskFault = choices.chance(0.8) ? undefined : process.diskFault;
  if (next !== process && !process.clock.isDead) await close(process);
  return next;
}

function submit(process: Process, prompt: string, into: Submitted[]): Promise<void> {
  return collect(process, process.engine.submitMessage(prompt), into);
}

async function collect(
  process: Process,
  stream: AsyncIterable<SDKMessage>,
  into: Submitted[],
): Promise<void> {
  const messages: SDKMessage[] = [];
  let error: unknown;
  try {
    for await (const message of stream) messages.push(message);
  } catch (thrown) {
    error = thrown;
  }
  into.push({ process: process.number, messages, whole: true, error, struck: process.diskStruck });
}
