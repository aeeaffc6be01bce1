/** Items of the transcript in words: nothing is said by a mark, a colour or a position alone. */
import { toolFacts } from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { errorLines, stopSentence } from '../../words/summary.ts';
import { toolLabel } from '../../words/tool-label.ts';
import { counted, dollars, duration } from '../../words/units.ts';
import type { CostFigure } from '../conversation-state.ts';
import type { WholeItem } from '../view/item-rows.ts';
import { commandOutput, splitTrimmedLines } from '../view/tool-rows.ts';
import type { EndItem, NoteItem, ThoughtItem, ToolItem } from '../view/transcript-item.ts';

/** The lines of one item. */
export function spokenLines(item: WholeItem, cwd: string): readonly string[] {
  switch (item.kind) {
    case 'prompt':
      return visible(item.text)
        .split('\n')
        .map((text, at) => (at === 0 ? `Prompt: ${text}` : text))
        .concat(item.images === 0 ? [] : `With ${counted(item.images, 'image')}.`);
    case 'thought':
      return [thoughtLine(item)];
    case 'tool':
      return toolLines(item, cwd);
    case 'note':
      return [noteLine(item)];
    case 'end':
      return endLines(item);
    case 'agentCall':
    case 'detail':
      return [];
  }
}

/** Characters of thinking that are said: nothing can be folded here. */
const THOUGHT_CHARS = 160;

function thoughtLine({ ms, text }: ThoughtItem): string {
  const head = ms === 0 ? 'Thought' : `Thought for ${duration(ms)}`;
  if (text === '') return `${head}.`;
  const words = oneLine(text.replace(/\s+/g, ' '));
  return `${head}: ${words.length > THOUGHT_CHARS ? `${words.slice(0, THOUGHT_CHARS)}…` : words}`;
}

const NOTE_WORDS = { quiet: '', notice: '', warning: 'Warning: ', error: 'Error: ' } as const;

/** Notes begin with a mark on the screen. */
function noteLine({ tone, text }: NoteItem): string {
  return `${NOTE_WORDS[tone]}${oneLine(text).replace(/^[^\p{L}\p{N}(`'"]+/u, '')}`;
}

function toolLines(item: ToolItem, cwd: string): readonly string[] {
  const { name, input, text, outcome, ms, agent } = item;
  const isCommand = toolFacts(name).shownAs === 'command';
  const facts = [
    outcome,
    ...(isCommand && outcome !== 'denied' && outcome !== 'stopped' ? [exitFact(item)] : []),
    ...(agent === undefined ? [] : [counted(agent.turns, 'turn'), ...costWords(agent.cost)]),
    ...(ms === undefined ? [] : [duration(ms)]),
  ].filter((fact) => fact !== '');
  const head = `Tool: ${toolLabel(name, input, cwd)} … ${facts.join(', ')}`;
  if (isCommand && outcome !== 'denied') return [head, ...outputLines(item)];
  if (outcome === 'stopped' || item.isSaid === true) return [head];
  return outcome === 'done' ? [head, ...changeLines(item)] : [head, ...reasonLines(text)];
}

function costWords(cost: CostFigure | undefined): readonly string[] {
  return cost === undefined ? [] : [`${cost.isUnpriced ? 'at least ' : ''}${dollars(cost.usd)}`];
}

function exitFact({ text, outcome, result }: ToolItem): string {
  const { interrupted, backgroundTaskId } = (result ?? {}) as {
    readonly interrupted?: unknown;
    readonly backgroundTaskId?: unknown;
  };
  if (interrupted === true) return 'stopped';
  if (backgroundTaskId !== undefined) return 'runs in the background';
  const code = /^Exit code (\d+)/.exec(text)?.[1] ?? (outcome === 'done' ? '0' : undefined);
  return code === undefined ? 'stopped' : `exit ${code}`;
}

function reasonLines(text: string): readonly string[] {
  const reason = oneLine(
    text
      .replace(/<\/?tool_use_error>/g, '')
      .trim()
      .split('\n', 1)[0] ?? '',
  );
  return reason === '' ? [] : [`  Reason: ${reason}`];
}

const OUTPUT_LINES = { done: 10, failed: 20, denied: 0, stopped: 20 } as const;

/** The end of a command's output. */
function outputLines(item: ToolItem): readonly string[] {
  return lastLines(splitTrimmedLines(commandOutput(item)), OUTPUT_LINES[item.outcome]);
}

/** Changed lines that are said. */
const CHANGE_LINES = 40;

/** What an edit took out and put in. */
function changeLines({ result }: ToolItem): readonly string[] {
  const { structuredPatch } = (result ?? {}) as { readonly structuredPatch?: unknown };
  if (!Array.isArray(structuredPatch)) return [];
  const changes = structuredPatch
    .flatMap((hunk) => (Array.isArray(hunk?.lines) ? hunk.lines : []))
    .filter((text): text is string => typeof text === 'string')
    .flatMap((text) => {
      const word = text.startsWith('-') ? 'removed' : text.startsWith('+') ? 'added' : undefined;
      return word === undefined ? [] : [`${word}: ${text.slice(1)}`];
    });
  return firstLines(changes, CHANGE_LINES);
}

function firstLines(lines: readonly string[], most: number): readonly string[] {
  const left = lines.length - most;
  return [...lines.slice(0, most).map(indented), ...(left > 0 ? [`  ${counted(left, 'more line')}`] : [])];
}

function lastLines(lines: readonly string[], most: number): readonly string[] {
  const left = lines.length - most;
  return [
    ...(left > 0 ? [`  ${counted(left, 'line')} before these`] : []),
    ...lines.slice(-most).map(indented),
  ];
}

export const indented = (line: string): string => `  ${visible(line).replaceAll('\t', '  ')}`;

function endLines({ result, turns, ms, usd, isUnpriced }: EndItem): readonly string[] {
  const figures = `${[counted(turns, 'turn'), duration(ms), ...costWords({ usd, isUnpriced })].join(', ')}.`;
  const reason = stopSentence(result);
  if (reason === undefined) return [`Done: ${figures}`];
  return [...errorLines(result).map((error) => `Error: ${error}`), `Stopped: ${reason}. ${figures}`];
}
