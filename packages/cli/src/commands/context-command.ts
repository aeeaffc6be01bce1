/** `turnwright context [session]`: the usage of a session's context, as a bar. */
import { type ContextCategory, type ContextUsage, sessionContext } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runContextCommand(world: World, session: string | undefined): Promise<ExitCode> {
  const usage = await sessionContext(session, { cwd: world.cwd, env: world.env });
  await world.out.write(`${visible(contextText(usage))}\n`);
  return EXIT.success;
}

const WIDE = { bar: 60, name: 20 };
/** Of a window with 40 columns. */
const NARROW = { bar: 34, name: 16 };
/** Distinguishable without color. */
const FILL: readonly string[] = ['█', '▓', '▒', '▚', '▞', '▤'];
const FREE = '·';
const BUFFER = '░';
/** Outside of the window. */
const DEFERRED = ' ';

/** At most 66 columns; 40 where there are fewer. */
export function contextText(usage: ContextUsage, columns = Number.POSITIVE_INFINITY): string {
  const widths = columns < WIDE.bar + 6 ? NARROW : WIDE;
  const used = usage.categories.filter(({ kind }) => kind === 'used');
  const charOf = ({ id, kind }: ContextCategory) =>
    kind === 'free'
      ? FREE
      : kind === 'buffer'
        ? BUFFER
        : kind === 'deferred'
          ? DEFERRED
          : (FILL[used.findIndex((other) => other.id === id) % FILL.length] ?? '█');
  const title = `${usage.model}: ${figure(usage.totalTokens)} of ${figure(usage.rawMaxTokens)} tokens in use (${usage.percentage} %)`;
  const rows = usage.categories.map(
    (category) =>
      `  ${charOf(category)} ${padded(category.name, widths.name)} ${figure(category.tokens).padStart(9)}  ${share(category.tokens, usage)}`,
  );
  const threshold =
    usage.autoCompactThreshold === undefined
      ? []
      : ['', `Compacted automatically at ${figure(usage.autoCompactThreshold)} tokens.`];
  return [
    title,
    '',
    `  [${bar(usage, charOf, widths.bar)}]`,
    '',
    ...rows,
    ...byTool(usage, widths.name),
    ...threshold,
  ].join('\n');
}

/** Every category that is not empty is visible; the free space shrinks for them. */
function bar(usage: ContextUsage, charOf: (category: ContextCategory) => string, chars: number): string {
  const inWindow = usage.categories.filter(({ kind }) => kind !== 'deferred');
  const widths = inWindow.map(({ tokens, kind }) => {
    const width = Math.round((tokens / usage.rawMaxTokens) * chars);
    return tokens > 0 && kind === 'used' ? Math.max(1, width) : width;
  });
  const over = widths.reduce((sum, width) => sum + width, 0) - chars;
  const free = inWindow.findIndex(({ kind }) => kind === 'free');
  widths[free] = Math.max(0, (widths[free] ?? 0) - over);
  return inWindow
    .map((category, at) => charOf(category).repeat(widths[at] ?? 0))
    .join('')
    .slice(0, chars);
}

const SHOWN_TOOLS = 5;

function byTool({ messageBreakdown }: ContextUsage, nameChars: number): readonly string[] {
  const tools = messageBreakdown.toolCallsByType.slice(0, SHOWN_TOOLS);
  if (tools.length === 0) return [];
  const rows = tools.map(
    ({ name, callTokens, resultTokens }) =>
      `    ${padded(name, nameChars)} ${figure(callTokens + resultTokens).padStart(9)}`,
  );
  return ['', '  Calls and results, by tool:', ...rows];
}

const padded = (name: string, chars: number): string => name.slice(0, chars).padEnd(chars);

function share(tokens: number, { rawMaxTokens }: ContextUsage): string {
  return `${((tokens / rawMaxTokens) * 100).toFixed(1).padStart(5)} %`;
}

function figure(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
