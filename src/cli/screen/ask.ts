/**
 * The permission question: the whole call is shown, never a part of it, then one line takes y, n or a. What was
 * typed before the question stood does not answer it.
 */
import type { CanUseTool, CanUseToolContext, PermissionResult, PermissionUpdate } from '../../index.ts';
import { askQuestions } from './ask-questions.ts';
import { openLineReader } from './line-reader.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';
import type { Terminal } from './terminal.ts';
import { visible } from './visible.ts';

export interface AskOptions {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
  /** Ctrl-C at the question: ends the run, which then withdraws the question. */
  onInterrupt(): void;
}

/** How long keys that were pressed too early are thrown away. */
const DRAIN_MS = 40;

/** Questions come one after the other, also when several calls ask at once. */
export function createAskPerson(options: AskOptions): CanUseTool {
  let last: Promise<unknown> = Promise.resolve();
  return (toolName, input, context) => {
    const mine = last.then(() =>
      options.screen.asking(context.toolUseID, (agent) => askOnce(options, toolName, input, context, agent)),
    );
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
  const always = ONCE_ONLY.has(toolName) ? undefined : alwaysUpdates(toolName, context);
  if (!asksPerson) {
    const who = agent === undefined ? '' : `, for ${agent}`;
    await terminal.line(style.bold(`? ${visible(context.displayName ?? toolName)}${who}`));
    const call = toolName === 'ExitPlanMode' ? planOf(input) : describeCall(input);
    if (call !== '') await terminal.line(indent(call));
    if (always !== undefined) await terminal.line(style.dim(`  always would be: ${describeUpdates(always)}`));
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
      await terminal.line(style.dim(`  ${HOW_TO_ANSWER}${always === undefined ? '' : ', a always'}`));
    }
  } catch (error) {
    // Withdrawn, or nobody is there to answer.
    if (context.signal.aborted || closed.aborted) return null;
    throw error;
  } finally {
    lines.close();
    await terminal.endLine();
  }
}

/** Each time anew: a plan is approved, not plans. */
const ONCE_ONLY: ReadonlySet<string> = new Set(['EnterPlanMode', 'ExitPlanMode']);

const HOW_TO_ANSWER = 'y this once, n no (n and your words: no, and why)';

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
      const why = words === '' ? '' : ` They say: ${words}`;
      return { behavior: 'deny', message: `The user does not allow this call.${why}` };
    }
    default:
      return undefined;
  }
}

/**
 * What "always" adds: what the engine suggests, else this tool for this session. Exact rules are kept in the folder's
 * local settings; folders, modes and whole tools end with the session.
 */
export function alwaysUpdates(
  toolName: string,
  context: Pick<CanUseToolContext, 'suggestions'>,
): readonly PermissionUpdate[] {
  if (context.suggestions !== undefined && context.suggestions.length > 0)
    return context.suggestions.map((update) =>
      isExact(update) ? { ...update, destination: 'localSettings' } : update,
    );
  return [{ type: 'addRules', rules: [{ toolName }], behavior: 'allow', destination: 'session' }];
}

function isExact(update: PermissionUpdate): boolean {
  return update.type === 'addRules' && update.rules.every(({ ruleContent }) => ruleContent !== undefined);
}

export function describeUpdates(updates: readonly PermissionUpdate[]): string {
  return updates.map(describeUpdate).join('; ');
}

function describeUpdate(update: PermissionUpdate): string {
  switch (update.type) {
    case 'setMode':
      return `mode ${update.mode}`;
    case 'addDirectories':
    case 'removeDirectories':
      return update.directories.map(visible).join(', ');
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules
        .map(({ toolName, ruleContent }) =>
          visible(ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`),
        )
        .join(', ')
        .concat(update.destination === 'localSettings' ? ', kept in the local settings' : '');
  }
}

/** A command as it would run; any other input field by field, set in, so that no value can pass for a field. */
export function describeCall(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([key, value]) => {
      const text = visible(typeof value === 'string' ? value : JSON.stringify(value));
      if (key === 'command') return text;
      return `${visible(key)}:${text.includes('\n') ? `\n${indent(text)}` : ` ${text}`}`;
    })
    .join('\n');
}

/** The plan as it is to be read, and what else would be agreed to. */
function planOf({ plan, ...rest }: Readonly<Record<string, unknown>>): string {
  const more = describeCall(rest);
  return [visible(String(plan ?? '')), more].filter((part) => part !== '').join('\n\n');
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** Throws away what was typed before the question stood. */
export async function drain(keyboard: NodeJS.ReadStream): Promise<void> {
  const discard = () => undefined;
  // Raw, so that an unfinished line is thrown away too.
  keyboard.setRawMode?.(true);
  keyboard.on('data', discard);
  keyboard.resume();
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  keyboard.off('data', discard);
  keyboard.setRawMode?.(false);
  keyboard.pause();
}
