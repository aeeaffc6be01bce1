/**
 * The permission question: shows the complete call, then reads y, n or a. Keys typed before the question
 * appeared do not answer it.
 */
import type { CanUseTool, CanUseToolContext, PermissionResult, PermissionUpdate } from '../../index.ts';
import type { Style } from '../../terminal/text/style.ts';
import { visible } from '../../terminal/text/visible.ts';
import { alwaysUpdates, denial, describeCall, describeUpdates, indent, planOf } from './answers.ts';
import { askQuestions } from './ask-questions.ts';
import { drain, openLineReader } from './line-reader.ts';
import type { Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';

interface AskOptions {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
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
  { terminal, style, input: keyboard, output, onInterrupt }: AskOptions,
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  agent: string | undefined,
): Promise<PermissionResult | null> {
  if (context.signal.aborted) return null;
  const asksPerson = toolName === 'AskUserQuestion';
  const always = ONCE_ONLY.has(toolName) ? undefined : alwaysUpdates(input, context);
  const howToAnswer = style.dim(indent(howTo(always)));
  if (!asksPerson) {
    const who = agent === undefined ? '' : `, for ${agent}`;
    await terminal.line(style.bold(`? ${visible(context.displayName ?? toolName)}${who}`));
    const call = toolName === 'ExitPlanMode' ? planOf(input) : describeCall(input);
    if (call !== '') await terminal.line(indent(call));
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

/** Never remembered: one plan is approved, not all plans. */
const ONCE_ONLY: ReadonlySet<string> = new Set(['EnterPlanMode', 'ExitPlanMode']);

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
