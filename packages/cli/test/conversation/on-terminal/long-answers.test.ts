/** Long answers in the built conversation: what they cost, and what the terminal keeps of them (A1 to A4). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const line = (n: number) => `item ${String(n).padStart(5, '0')} of the answer, ${'word '.repeat(n % 11)}end`;
const itemsIn = (lines: readonly string[]) =>
  lines.flatMap((one) => /^(?:•|-) item (\d{5}) /.exec(one)?.[1] ?? []).map(Number);
/** The row of a frame that is on its way when the window is resized may stand there twice. */
function itemsAfterResizes(lines: readonly string[], resizes: number): readonly number[] {
  const items = itemsIn(lines);
  const once = items.filter((item, at) => item !== items[at - 1]);
  expect(items.length - once.length).toBeLessThanOrEqual(resizes);
  return once;
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/**
 * Of a live region of four rows, with a line for each call now and then, and the rows of the answer that may still
 * change. A fast machine has a hundred lines in each frame: to write them twice would cost five times as much.
 */
const BYTES_PER_FRAME = 900;
const ROWS_PER_FRAME = 20;
/** The head of the conversation and what is printed at its end. */
const ROWS_AROUND = 40;

const timesIn = (text: string, part: string) => text.split(part).length - 1;

/** As much as one answer of a model may have; the next part follows a call. */
const LINES_PER_ANSWER = 250;
const look = toolUse('Glob', { pattern: '*.nothing' });

const partOf = (from: number, to: number) =>
  upTo(to)
    .slice(from)
    .map((n) => `- ${line(n)}`)
    .join('\n');

/** Numbered lines, by answers that end in a call. */
function answers(count: number): readonly ScriptedReply[] {
  const timing = { deltaChars: 400, gapMs: 2 };
  const starts = Array.from(
    { length: Math.ceil(count / LINES_PER_ANSWER) },
    (_, at) => at * LINES_PER_ANSWER,
  );
  return starts.map((from) => {
    const to = Math.min(count, from + LINES_PER_ANSWER);
    return reply(to < count ? [partOf(from, to), look] : partOf(from, to), { timing });
  });
}

/** User and system time of the children of a shell, as `times` prints it in its second line. */
function cpuSeconds(times: string): number {
  const parts = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/** Runs the command line in a shell in tmux, which notes the time that it took. */
async function run(args: readonly string[], count: number) {
  const server = await rehearse(...answers(count));
  const folder = temporaryFolder();
  const times = join(folder, 'times');
  const script = `cd "$0" && echo $$ > shell && "$@"; times > '${times}'`;
  const command = ['sh', '-c', script, folder, process.execPath, BIN, ...args];
  const terminal = await inTmux(command, { env: bareEnv(against(server)) });
  return {
    ...terminal,
    cpuSeconds: () => cpuSeconds(readFileSync(times, 'utf8')),
    peakMb() {
      const shell = readFileSync(join(folder, 'shell'), 'utf8').trim();
      const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ');
      const status = readFileSync(`/proc/${child}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

describe.skipIf(!hasTmux)('a long answer', () => {
  test('A1 is in the history once and in order, for little more than printing it costs', async () => {
    const count = inShortAndLongForm(500, 10_000);
    // What printing costs is only measured in the long form.
    const printed = count === 10_000 ? await run(['-p', 'go'], count) : undefined;
    await printed?.until('ended with 0');
    const talk = await run(['go'], count);
    await talk.until('done ·');
    const rss = talk.peakMb();
    const history = talk.history();
    expect(itemsIn(history)).toEqual(upTo(count));
    talk.keys('C-d');
    await talk.until('ended with');
    await pause(500);
    const content = upTo(count).reduce((sum, n) => sum + line(n).length + 3, 0);
    const raw = talk.raw();
    const figures = {
      bytes: raw.length / content,
      rows: (timesIn(raw, '\n') + timesIn(raw, '\x1b[2K')) / count,
      frames: timesIn(raw, '\x1b[?2026h'),
      rssMb: rss,
    };
    if (printed !== undefined)
      console.log({ ...figures, cpuSecondsAbove: talk.cpuSeconds() - printed.cpuSeconds() });
    // Each line is written once. How many frames there are depends on how long it takes; each writes the live region.
    expect((raw.length - content) / figures.frames).toBeLessThan(BYTES_PER_FRAME);
    expect((figures.rows - 1) * count).toBeLessThan(ROWS_AROUND + ROWS_PER_FRAME * figures.frames);
    if (count === 10_000) expect(figures.bytes).toBeLessThan(1.3);
    expect(figures.rssMb).toBeLessThan(120);
    expect(forbiddenIn(raw)).toEqual([]);
  });

  test('A2 is whole after resizes while it streams, with one prompt and one status line below it', async () => {
    const sizes = [
      [60, 20],
      [100, 30],
      [45, 12],
      [120, 40],
      [50, 15],
    ] as const;
    const timing = { deltaChars: 20, gapMs: 4 };
    const server = await rehearse(reply(partOf(0, 200), { timing }));
    const talk = await converse(server, { args: ['go'] });
    await talk.until('item 00005');
    talk.type('a draft that is wide enough to be wrapped when the window is as narrow as it will be soon');
    const resizes = sizes.slice(0, inShortAndLongForm(3, sizes.length));
    for (const [columns, rows] of resizes) {
      talk.resize(columns, rows);
      await pause(inShortAndLongForm(350, 600));
    }
    talk.resize(80, 24);
    await talk.until('done ·');
    await pause(600);
    const history = talk.history();
    expect(itemsAfterResizes(history, resizes.length + 1)).toEqual(upTo(200));
    expect(history.filter((one) => one.includes(' ctx '))).toHaveLength(1);
    // A frame that is on its way when the window shrinks may leave its first rows.
    expect(history.filter((one) => one.startsWith('› ')).length).toBeLessThanOrEqual(2);
    expect(history.filter((one) => one !== '').at(-3)).toMatch(/^› a draft/);
    expect(forbiddenIn(talk.raw())).toEqual([]);
  });

  test('A4 leaves what the shell printed before, through a resize, tools and the exit', async () => {
    const count = inShortAndLongForm(150, 300);
    const write = toolUse('Write', { file_path: 'a.txt', content: 'text\n' });
    const server = await rehearse(reply(['I write.', write]), ...answers(count));
    const command = ['sh', '-c', 'cd "$0" && exec "$@"', temporaryFolder(), process.execPath, BIN];
    const terminal = await inTmux([...command, '--permission-mode', 'acceptEdits', 'go'], {
      env: bareEnv(against(server)),
    });
    await terminal.until('item 00020');
    terminal.resize(50, 14);
    await terminal.until('done ·');
    terminal.resize(90, 30);
    await pause(700);
    const before = ['text of the shell', '1', '2', '3', '4', '5'];
    const isKept = () => {
      const history = terminal.history();
      const start = history.indexOf('text of the shell');
      return history.slice(start, start + before.length);
    };
    expect(isKept()).toEqual(before);
    expect(itemsAfterResizes(terminal.history(), 2)).toEqual(upTo(count));
    terminal.keys('C-d');
    await pause(500);
    expect(isKept()).toEqual(before);
    expect(forbiddenIn(terminal.raw())).toEqual([]);
    expect(terminal.ask('#{cursor_flag} #{alternate_on} #{mouse_any_flag}')).toBe('1 0 0');
  });
});
