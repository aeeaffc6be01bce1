/**
 * The permission question: shows the complete call, then reads y, n or a. Keys typed before the question
 * appeared do not answer it.
 */
import {
  type CanUseTool,
  type CanUseToolContext,
  type PermissionResult,
  type PermissionUpdate,
  toolFacts,
} from '../../index.ts';
import { cut } from '../../terminal/text/cells.ts';
import type { Style } from '../../terminal/text/style.ts';
import { visible } from '../../terminal/text/visible.ts';
import { alwaysUpdates, denial, describeUpdates, indent, planOf } from './answers.ts';
import { askQuestions } from './ask-questions.ts';
import type { CallDrawing } from './call-rows.ts';
import { drain, openLineReader } from './line-reader.ts';
import type { Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';
import { toolLabel } from './tool-label.ts';

interface AskOptions {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly drawing: CallDrawing;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
  /** Height of the terminal; undefined: unknown. */
  rows(): number | undefined;
  /** Ctrl-C at the question: ends the run, which then withdraws the question. */
  onInterrupt(): void;
}

/** One question at a time, also when several calls ask. */
export function createAskPerson(options: AskOptions): CanUseTool {
  let last: Promise<unknown> = Promise.resolve();
  return (toolName, input, context) => {
    const mine = last.then(async () => {
      const { screen } = options;
      const answer = await screen.asking(context.toolUseID, (agent) =>
        askOnce(options, toolName, input, context, agent),
      );
      if (answer?.behavior !== 'allow') screen.denied(context.toolUseID);
      return answer;
    });
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function askOnce(
  { terminal, style, drawing, input: keyboard, output, rows, onInterrupt }: AskOptions,
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  agent: string | undefined,
): Promise<PermissionResult | null> {
  if (context.signal.aborted) return null;
  const asksPerson = toolFacts(toolName).asks === 'questions';
  const always = isAskedEachTime(toolName) ? undefined : alwaysUpdates(input, context);
  const howToAnswer = style.dim(indent(howTo(always)));
  if (!asksPerson) {
    const who = agent === undefined ? '' : `, for ${agent}`;
    await terminal.line(style.bold(`? ${visible(context.displayName ?? toolName)}${who}`));
    const call = await shownCall(toolName, input, drawing, terminal.columns);
    if (call.length > 0) await terminal.line(call.join('\n'));
    // The head of a long call has left the screen.
    if (call.length > (rows() ?? DEFAULT_ROWS) - ROWS_BESIDE)
      await terminal.line(
        style.bold(`? ${cut(toolLabel(toolName, input, drawing.cwd), terminal.columns - 2)}${who}`),
      );
    await terminal.prose(howToAnswer);
  }
  await drain(keyboard);
  const { lines, closed } = openLineReader(keyboard, output, onInterrupt);
  const signal = AbortSignal.any([context.signal, closed]);
  try {
    if (asksPerson) {
      return await askQuestions(input, {
        question: (prompt) => lines.question(prompt, { signal }),
        line: (text) => terminal.line(text),
        columns: terminal.columns,
        style,
      });
    }
    while (true) {
      const typed = await lines.question(`  allow? y / n${always === undefined ? '' : ' / a'} `, { signal });
      const answer = readAnswer(typed, always);
      if (answer !== undefined) return answer;
      await terminal.prose(howToAnswer);
    }
  } catch (error) {
    if (context.signal.aborted) return null;
    if (closed.aborted) return { behavior: 'deny', message: CLOSED };
    throw error;
  } finally {
    lines.close();
    await terminal.endLine();
  }
}

const DEFAULT_ROWS = 24;
/** Rows of the question besides the call. */
const ROWS_BESIDE = 6;

/** The call in full: a plan to read, an edit as a diff, any other input field by field. */
async function shownCall(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  drawing: CallDrawing,
  columns: number,
): Promise<readonly string[]> {
  if (toolFacts(toolName).asks === 'plan') return indent(planOf(input)).split('\n');
  const { callRows } = await import('./call-rows.ts');
  return (await callRows(toolName, input, drawing))(columns);
}

/** One plan is approved, not all plans: the answer is never remembered. */
function isAskedEachTime(toolName: string): boolean {
  const { asks } = toolFacts(toolName);
  return asks === 'plan' || asks === 'once';
}

/** Ctrl-D, or a closed terminal. */
const CLOSED = 'The user closed the question without an answer, so this call is not allowed.';

/** Shown before the answer, so that the user does not agree to more than they read. */
function howTo(always: readonly PermissionUpdate[] | undefined): string {
  const once = 'y: this once. n: no; words behind it tell the model why.';
  return always === undefined ? once : `${once}\na: always, by ${describeUpdates(always)}.`;
}

/** `y`, `a`, `n`, or `n use the other file`; undefined when it is none of them. */
export function readAnswer(
  typed: string,
  always: readonly PermissionUpdate[] | undefined,
): PermissionResult | undefined {
  const [, word = '', words = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(typed) ?? [];
  switch (word.toLowerCase().replace(/[,:;.]$/, '')) {
    case 'y':
    case 'yes':
      return words === '' ? { behavior: 'allow' } : undefined;
    case 'a':
    case 'always':
      return words === '' && always !== undefined
        ? { behavior: 'allow', updatedPermissions: always }
        : undefined;
    case 'n':
    case 'no': {
      return denial(words);
    }
    default:
      return undefined;
  }
}
