/** `/statusline`: its parts, or a command of the person's; kept in their own settings. */
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import type { ConversationCommandContext, StatusLineChoice } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import { type ListItem, listOverlay } from '../commands/list.ts';
import { questionOverlay } from '../commands/question.ts';
import { STATUS_PARTS, type StatusPart } from '../screen/screen-settings.ts';

const ABOUT: Readonly<Record<StatusPart, string>> = {
  model: 'the model',
  mode: 'the permission mode',
  context: 'how full the context window is',
  cost: 'what the session has cost',
  cache: 'hits of the prompt cache, and what broke it',
  turn: 'the turn of the running prompt',
  background: 'how much runs in the background',
  place: 'the folder and its branch',
};

type Choice = StatusPart | 'command' | 'default';

export async function runStatusline(argument: string, context: ConversationCommandContext): Promise<void> {
  if (context.statusLine === undefined)
    throw new CommandMistake('There is no status line here, line by line. /status and /cost say the same.');
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  switch (word) {
    case '':
      return choose(context);
    case 'default':
      return tell(await keep(EVERYTHING, context), context);
    case 'parts':
      if (rest === '') return choose(context);
      return tell(await keep({ statusLine: undefined, statusParts: readParts(rest) }, context), context);
    case 'command':
      return useCommand(rest, context);
    default:
      context.send(scriptPrompt(argument));
  }
}

function readParts(text: string): readonly StatusPart[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  const wrong = names.find((name) => !(STATUS_PARTS as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new CommandMistake(`There is no part "${wrong}". There are ${STATUS_PARTS.join(', ')}.`);
  return STATUS_PARTS.filter((part) => names.includes(part));
}

/** The list comes back after each part, so that several can be switched. */
async function choose(context: ConversationCommandContext): Promise<void> {
  let at: number | undefined;
  let said: string | undefined;
  for (;;) {
    const { statusLine, statusParts = STATUS_PARTS } = context.statusLine ?? {};
    const chosen = await context.open(
      listOverlay({
        title: statusLine === undefined ? 'Status line' : `Status line: ${oneLine(statusLine.command)}`,
        items: statusItems(statusLine === undefined ? statusParts : []),
        empty: '',
        enter: 'switches it',
        at,
      }),
    );
    if (chosen === undefined) return said === undefined ? undefined : tell(said, context);
    if (chosen === 'command') return useCommand('', context);
    if (chosen === 'default') return tell(await keep(EVERYTHING, context), context);
    const shown =
      statusParts.includes(chosen) && statusLine === undefined
        ? statusParts.filter((part) => part !== chosen)
        : STATUS_PARTS.filter((part) => part === chosen || statusParts.includes(part));
    if (shown.length === 0) throw new CommandMistake('One part stays: /statusline default shows all again.');
    said = await keep({ statusLine: undefined, statusParts: shown }, context);
    at = STATUS_PARTS.indexOf(chosen);
  }
}

function statusItems(shown: readonly StatusPart[]): readonly ListItem<Choice>[] {
  return [
    ...STATUS_PARTS.map((part) => ({
      value: part,
      label: `${shown.includes(part) ? '[x]' : '[ ]'} ${part}`,
      detail: ABOUT[part],
    })),
    { value: 'command', label: 'A command of yours …', detail: 'its first two lines are shown' },
    { value: 'default', label: 'Everything again', detail: 'without a command' },
  ];
}

async function useCommand(given: string, context: ConversationCommandContext): Promise<void> {
  const command =
    given !== ''
      ? given
      : await context.open(
          questionOverlay({
            title: 'Which command prints the status line?',
            about: ['It gets the state as JSON on stdin, and has five seconds: docs/screen.md'],
            initial: context.statusLine?.statusLine?.command,
          }),
        );
  if (command === undefined || command === '') return;
  const { statusParts } = context.statusLine ?? {};
  tell(await keep({ statusLine: { command, padding: 0 }, statusParts }, context), context);
}

const EVERYTHING: StatusLineChoice = { statusLine: undefined, statusParts: undefined };

function tell(sentence: string, { columns, print }: ConversationCommandContext): void {
  print(wrap(oneLine(sentence), columns));
}

/** Takes effect now, and is kept in the person's own file alone. */
async function keep(choice: StatusLineChoice, context: ConversationCommandContext): Promise<string> {
  const { query, setStatusLine } = context;
  const { statusLine, statusParts } = choice;
  const isAll = statusParts === undefined || statusParts.length === STATUS_PARTS.length;
  setStatusLine({ statusLine, statusParts: isAll ? undefined : statusParts });
  const command = statusLine && { type: 'command', command: statusLine.command };
  const kept = await query
    .setSetting('userSettings', 'statusLine', command)
    .then(() => query.setSetting('userSettings', 'statusLineParts', isAll ? undefined : statusParts))
    .then(
      async () => `It is kept in ${await query.settingsFile('userSettings')}.`,
      (error: Error) => `It is for this conversation alone: ${error.message}`,
    );
  const what =
    statusLine !== undefined
      ? `by ${statusLine.command}`
      : isAll
        ? 'complete'
        : (statusParts ?? []).join(', ');
  return `The status line is ${what}. ${kept}`;
}

function scriptPrompt(wish: string): string {
  return `Write a script for my status line: ${wish}

It is a command that gets the state of this session as JSON on stdin (session_id, cwd, model.display_name, workspace.current_dir, cost.total_cost_usd, context_window.used_percentage, version) and prints one line, or two, within a second; colours as ANSI sequences are allowed. Put it beside my own settings in the configuration home, never into this project; make it executable, try it with an example on stdin, then tell me to run /statusline command <path>. Change no settings.`;
}
