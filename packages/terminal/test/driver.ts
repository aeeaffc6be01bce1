/**
 * A conversation in miniature, which the tests run in a real terminal: it streams numbered list items through Markdown
 * into the two regions, with a running tool, an editor and a status line below. Bundled by `terminal-program.ts`.
 */
import { writeFileSync } from 'node:fs';
import { systemClock } from '@turnwright/base/clock.ts';
import { createHighlighter } from '../src/markup/highlight.ts';
import { createMarkdown } from '../src/markup/markdown-stream.ts';
import { askSize } from '../src/renderer/ask-size.ts';
import { createRegions } from '../src/renderer/regions.ts';
import { writeNow } from '../src/renderer/write-now.ts';
import { cells } from '../src/text/cells.ts';
import { createTheme } from '../src/text/theme.ts';
import { probeWidths } from '../src/text/width-probe.ts';
import { wrap } from '../src/text/wrap.ts';

export interface DriverTask {
  /** Numbered items to stream, `batch` of them every `gapMs`. */
  readonly lines: number;
  readonly batch: number;
  readonly gapMs: number;
  /** In the editor, wrapped as the editor does. */
  readonly draft: string;
  /** Printed once before the stream, and shown in the live region. */
  readonly extra?: readonly string[];
  /** Asks for the widths first. */
  readonly probe?: boolean;
  /** Does not end by itself. */
  readonly stays?: boolean;
  /** Gets `{ cpuMs, rssMb, writtenBytes }` at the end. */
  readonly report?: string;
}

const task: DriverTask = JSON.parse(process.argv[2] ?? '{}');
const { stdin, stdout } = process;
const theme = createTheme('dark');
const markdown = createMarkdown({ theme, highlighter: createHighlighter(theme) });
let item = 0;
let writtenBytes = 0;
const count = (text: string) => {
  writtenBytes += Buffer.byteLength(text);
  return text;
};

const regions = createRegions({
  output: {
    write: (text) => stdout.write(count(text)),
    on: (event, listener) => stdout.on(event, listener),
    off: (event, listener) => stdout.off(event, listener),
  },
  size: () => askSize(stdout),
  clock: systemClock,
  writeNow: (text) => writeNow(1, count(text)),
  restoreText: () => '\x1b[?2004l',
  draw({ columns }) {
    regions.commit(markdown.takeClosed(Math.min(columns - 1, 100)));
    const draft = wrap(task.draft, columns - 3);
    const above = [
      theme.dim('─'.repeat(Math.min(24, columns - 1))),
      `◐ Bash npm test  ${item} lines`,
      ...(task.extra ?? []),
    ];
    const editor = draft.map((row, at) => (at === 0 ? `› ${row}` : `  ${row}`));
    const cursor = { row: above.length + editor.length - 1, column: cells(draft.at(-1) ?? '') + 2 };
    return { rows: [...above, ...editor, theme.dim('sonnet · manual · ctx 31%')], cursor };
  },
});

async function main(): Promise<void> {
  process.on('exit', () => regions.close());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  stdin.setRawMode(true);
  stdout.write('\x1b[?2004h');
  if (task.probe === true) await askWidths();
  stdin.on('data', (bytes) => {
    if (bytes.includes(3)) process.exit(0);
  });
  regions.commit(task.extra ?? []);
  const alive = setInterval(() => undefined, 1_000);
  while (item < task.lines) {
    for (let more = Math.min(task.batch, task.lines - item); more > 0; more -= 1) {
      item += 1;
      markdown.push(
        `- item ${String(item).padStart(5, '0')} of the answer, 日本 ✓ ${'word '.repeat(item % 20)}\n`,
      );
    }
    regions.invalidate();
    await systemClock.sleep(task.gapMs);
  }
  regions.commit([...markdown.end(Math.min(regions.size.columns - 1, 100)), 'all items were sent']);
  await systemClock.sleep(300);
  if (task.stays === true) return;
  clearInterval(alive);
  const { user, system } = process.cpuUsage();
  const report = { cpuMs: (user + system) / 1e3, rssMb: process.memoryUsage.rss() / 2 ** 20, writtenBytes };
  if (task.report !== undefined) writeFileSync(task.report, JSON.stringify(report));
  process.exit(0);
}

async function askWidths(): Promise<void> {
  const probe = probeWidths({ write: (text) => stdout.write(text), clock: systemClock });
  const onData = (bytes: Buffer) => {
    for (const [, row, column] of bytes.toString().matchAll(/\[(\d+);(\d+)R/g))
      probe.onCursor([Number(row), Number(column)]);
  };
  stdin.on('data', onData);
  await probe.done;
  stdin.off('data', onData);
}

void main();
