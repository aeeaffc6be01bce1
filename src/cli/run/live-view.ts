/** The live view as a sink, with a summary at the end and, on a terminal, permission questions. */
import type { CanUseTool } from '../../index.ts';
import { createStyle, type Style, wantsColor } from '../../terminal/text/style.ts';
import { createTheme, type Theme, themeFor } from '../../terminal/text/theme.ts';
import type { Output } from '../output.ts';
import { createAskPerson } from '../screen/ask.ts';
import { createScreen, type Screen } from '../screen/screen.ts';
import { createRunCounts, errorLines, summaryLines } from '../screen/summary.ts';
import { createTerminal, type Terminal } from '../screen/terminal.ts';
import { warnOn } from '../warnings.ts';
import { columnsOf, type World } from '../world.ts';
import type { Sink } from './print.ts';

export interface LiveView {
  readonly sink: Sink;
  readonly terminal: Terminal;
  readonly style: Style;
  /** Shows a warning of the engine: in the view if stderr is the same terminal, else on stderr. */
  readonly warn: (line: string) => void;
  /** Present when a user can answer. */
  readonly canUseTool: CanUseTool | undefined;
}

interface LiveViewOptions {
  /** Stream of the view; default stdout. */
  readonly on?: 'stdout' | 'stderr';
  readonly verbose: boolean;
  /** Never asks, even on a terminal. */
  readonly neverAsk?: boolean;
  /** No status line, for screen readers. Default false. */
  readonly lineByLine?: boolean;
  /** The figures at the end. Default true. */
  readonly summary?: boolean;
}

export function createLiveView(
  world: World,
  { on = 'stdout', verbose, neverAsk = false, lineByLine = false, summary = true }: LiveViewOptions,
): LiveView {
  const live = world[on].isTTY === true && world.env['TERM'] !== 'dumb' && !lineByLine;
  const parts = createParts(world, { on, live, verbose });
  const { terminal, style, screen } = parts;
  const counts = createRunCounts();
  return {
    terminal,
    style,
    warn: live && world.stderr.isTTY === true ? screen.warn : warnOn(world),
    canUseTool: neverAsk ? undefined : askPerson(world, parts),
    sink: {
      begin: (run) => screen.begin(() => run.mcpServerStatus()),
      async show(message) {
        counts.add(message);
        await screen.show(message);
      },
      async end(result) {
        await screen.close();
        if (result === undefined) return;
        for (const line of errorLines(result)) await terminal.prose(style.red(line));
        if (!summary) return;
        for (const line of summaryLines(result, counts, style)) await terminal.prose(line);
      },
    },
  };
}

/** Permission questions without the view, on stderr, when stdout is for the answer only. */
export function createQuestions(world: World): CanUseTool | undefined {
  return askPerson(world, createParts(world, { on: 'stderr', live: false, verbose: false }));
}

interface Parts {
  readonly on: NodeJS.WriteStream;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly theme: Theme;
  readonly screen: Screen;
}

function createParts(
  world: World,
  {
    on,
    live,
    verbose,
  }: { readonly on: 'stdout' | 'stderr'; readonly live: boolean; readonly verbose: boolean },
): Parts {
  const stream = world[on];
  const output: Output = on === 'stdout' ? world.out : world.err;
  const color = wantsColor(world.env, stream.isTTY === true);
  const style = createStyle(color);
  const theme = createTheme(themeFor({ color, env: world.env }));
  const columns = () => columnsOf(stream);
  const terminal = createTerminal({ output, live, columns, paintStatus: style.dim });
  const format = async () =>
    (await import('../screen/formatted-text.ts')).createFormattedText(theme, columns);
  const screen = createScreen({
    terminal,
    style,
    cwd: world.cwd,
    nowMs: () => performance.now(),
    verbose,
    format: live ? format : undefined,
  });
  return { on: stream, terminal, style, theme, screen };
}

/** undefined: no user can answer. */
function askPerson(world: World, { on, terminal, style, theme, screen }: Parts): CanUseTool | undefined {
  const input = on.isTTY === true ? world.keyboard() : undefined;
  if (input === undefined) return undefined;
  return createAskPerson({
    screen,
    terminal,
    style,
    drawing: { theme, cwd: world.cwd, home: world.env['HOME'] },
    input,
    output: on,
    // A terminal that does not know its height has 0 rows.
    rows: () => (on.rows > 0 ? on.rows : undefined),
    onInterrupt: world.signals.raiseInterrupt,
  });
}
