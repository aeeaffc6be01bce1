/** Questions as numbered lists: permissions, plans, questions of the model and of MCP servers. */
import {
  type CanUseTool,
  type CanUseToolContext,
  type Options,
  type PermissionResult,
  type PermissionUpdate,
  toolFacts,
} from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import {
  alwaysUpdates,
  approvePlan,
  denial,
  describeCall,
  describeUpdates,
  planOf,
} from '../../words/answers.ts';
import { nameModes } from '../../words/mode-name.ts';
import { answerOf, isOutOfRange, questionsIn } from '../../words/questions.ts';
import { counted } from '../../words/units.ts';
import { elicit } from './line-elicitation.ts';
import { type Choice, choose, type LineDialog, readTypedAnswer } from './numbered.ts';
import { explanationLines, offerLine } from './spoken-explanation.ts';
import { indented } from './spoken-items.ts';

interface AskedCall {
  readonly toolUseId: string;
  /** Time of the person, which is not the tool's. */
  readonly waitedMs?: number;
  readonly isDenied?: boolean;
}

interface LineAskerOptions {
  readonly dialog: LineDialog;
  /** A question is about to open, or has closed. It opens once the promise resolves. */
  onQuestion(change: 1 | -1, about: AskedCall): void | Promise<void>;
  /** What the subagent does that makes a call; undefined: it is not known. */
  taskOf(toolUseId: string): string | undefined;
  /** A call as lines of `dialog`. Default its fields in words. */
  describe?(toolName: string, input: Input): Promise<DescribedCall>;
  /** The permission mode before plan mode. Default: it is not known. */
  modeBeforePlan?(): string | undefined;
  /** Ends an unfinished line of the answer. */
  endLine(): void;
}

type Input = Readonly<Record<string, unknown>>;

interface DescribedCall {
  readonly lines: readonly string[];
  say(line: string): void;
}

interface LineAsker {
  readonly canUseTool: CanUseTool;
  readonly onElicitation: NonNullable<Options['onElicitation']>;
}

/** One question at a time, in the order in which they are asked. */
export function createLineAsker({
  dialog,
  onQuestion,
  endLine,
  taskOf,
  describe = async (_, input) => inWords(input, dialog),
  modeBeforePlan = () => undefined,
}: LineAskerOptions): LineAsker {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const mine = last.then(ask);
    last = mine.catch(() => undefined);
    return mine;
  };
  const canUseTool: CanUseTool = (toolName, input, context) =>
    inTurn(async () => {
      if (context.signal.aborted) return null;
      endLine();
      await onQuestion(1, { toolUseId: context.toolUseID });
      const sinceMs = dialog.nowMs();
      let answer: PermissionResult | null = null;
      try {
        answer = await askAbout({ toolName, input, context, dialog, describe, taskOf, modeBeforePlan });
      } finally {
        const isDenied = answer?.behavior === 'deny';
        await onQuestion(-1, { toolUseId: context.toolUseID, waitedMs: dialog.nowMs() - sinceMs, isDenied });
      }
      return answer;
    });
  return {
    canUseTool,
    onElicitation: (request, { signal }) =>
      inTurn(async () => {
        endLine();
        return elicit(request, dialog, signal);
      }),
  };
}

function inWords(input: Input, { line }: LineDialog): DescribedCall {
  return { lines: describeCall(input).split('\n').map(indented), say: line };
}

interface Question
  extends Required<Pick<LineAskerOptions, 'dialog' | 'describe' | 'taskOf' | 'modeBeforePlan'>> {
  readonly toolName: string;
  readonly input: Input;
  readonly context: CanUseToolContext;
}

function askAbout(question: Question): Promise<PermissionResult | null> {
  const { asks } = toolFacts(question.toolName);
  if (asks === 'questions') return askQuestions(question);
  if (asks === 'plan') return askAboutPlan(question);
  return askPermission(question);
}

/** Lines of a call that are read out before its question; the others on request. */
const CALL_LINES = 40;

type Verdict = 'once' | 'always' | 'all' | 'no' | 'why';

async function askPermission({
  toolName,
  input,
  context,
  dialog,
  describe,
  taskOf,
}: Question): Promise<PermissionResult | null> {
  const { line } = dialog;
  const explanation = await context.explain?.().catch(() => undefined);
  const always = toolFacts(toolName).asks === 'once' ? undefined : alwaysUpdates(input, context);
  const offers = always === undefined ? [] : (explanation?.offers ?? []);
  const task = taskOf(context.toolUseID) ?? '';
  const agent = task === '' ? 'a subagent' : `the subagent ${task}`;
  const whose = context.agentID === undefined ? '' : `, for ${agent}`;
  line(`Question: may ${oneLine(context.displayName ?? toolName)} do this${whose}?`);
  const call = await describe(toolName, input);
  const left = call.lines.length - CALL_LINES;
  call.lines.slice(0, CALL_LINES).forEach(call.say);
  if (left > 0) line(`  ${counted(left, 'more line')}`);
  if (explanation !== undefined) explanationLines(explanation).forEach(line);
  else if (context.decisionReason !== undefined)
    line(`Why it is asked: ${oneLine(nameModes(context.decisionReason))}`);
  const choices: readonly Choice<Verdict>[] = [
    { value: 'once', label: 'Yes, once', names: ['y', 'yes'] },
    ...(always === undefined
      ? []
      : [{ value: 'always' as const, label: alwaysLabel(offers, always), names: ['a', 'always'] }]),
    { value: 'no', label: 'No', names: ['n', 'no'] },
    { value: 'why', label: 'No, and tell the model why', asksWords: 'Why', names: ['n', 'no'] },
    ...(left > 0
      ? [{ value: 'all' as const, label: `Read all ${counted(call.lines.length, 'line')} of it` }]
      : []),
  ];
  while (true) {
    const chosen = await choose(dialog, choices, { signal: context.signal });
    if (chosen === undefined) return closed(context);
    switch (chosen.value) {
      case 'all':
        call.lines.forEach(call.say);
        continue;
      case 'once':
        return { behavior: 'allow' };
      case 'always': {
        const shown = offers.length === 0 ? always : offers.map(({ update }) => update);
        const updates = offers.length > 1 ? await chooseOffers(offers, context, dialog) : shown;
        if (updates === undefined) continue;
        return { behavior: 'allow', updatedPermissions: updates };
      }
      case 'no':
        return denial('');
      case 'why':
        return denial(chosen.words);
    }
  }
}

type Offers = Awaited<ReturnType<NonNullable<CanUseToolContext['explain']>>>['offers'];

function alwaysLabel(offers: Offers, always: readonly PermissionUpdate[]): string {
  const [first, second] = offers;
  if (second !== undefined) return 'Yes, always: choose the rules';
  return `Yes, always: ${first === undefined ? describeUpdates(always) : offerLine(first)}`;
}

/** undefined: none was chosen. */
async function chooseOffers(
  offers: Offers,
  { signal }: CanUseToolContext,
  dialog: LineDialog,
): Promise<readonly PermissionUpdate[] | undefined> {
  for (const [at, offer] of offers.entries()) dialog.line(`${at + 1}. ${offerLine(offer)}`);
  while (true) {
    const answer = await readTypedAnswer(dialog, 'Numbers with commas, or Enter to go back: ', signal);
    if (answer === undefined || answer === '') return undefined;
    const chosen = answer.split(/[\s,]+/).map((number) => offers[Number(number) - 1]);
    const updates = chosen.flatMap((offer) => (offer === undefined ? [] : [offer.update]));
    if (updates.length === chosen.length) return [...new Set(updates)];
    dialog.line(`The rules go from 1 to ${offers.length}.`);
  }
}

/** The question was withdrawn, or the input has ended. */
function closed({ signal }: CanUseToolContext): PermissionResult | null {
  if (signal.aborted) return null;
  return {
    behavior: 'deny',
    message: 'The user closed the question without an answer, so this call is not allowed.',
  };
}

async function askAboutPlan({
  input,
  context,
  dialog,
  modeBeforePlan,
}: Question): Promise<PermissionResult | null> {
  dialog.line('Question: is this plan right?');
  for (const text of planOf(input).split('\n')) dialog.line(text);
  const chosen = await choose<'edits' | 'ask' | 'no'>(
    dialog,
    [
      { value: 'ask', label: 'Yes, and ask about each change' },
      { value: 'edits', label: 'Yes, and accept edits of files without asking' },
      { value: 'no', label: 'No, and say what to change', asksWords: 'What to change' },
    ],
    { signal: context.signal },
  );
  switch (chosen?.value) {
    case undefined:
      return closed(context);
    case 'ask':
      return approvePlan(modeBeforePlan());
    case 'edits':
      return {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      };
    case 'no':
      return denial(chosen.words);
  }
}

/** An empty line is no answer, which the model receives as such. */
async function askQuestions({ input, context, dialog }: Question): Promise<PermissionResult | null> {
  const { line } = dialog;
  const answers: Record<string, string> = {};
  const questions = questionsIn(input);
  for (const [at, each] of questions.entries()) {
    const which = questions.length === 1 ? '' : ` ${at + 1} of ${questions.length}`;
    line(`Question${which}: ${oneLine(each.question)}`);
    for (const [number, { label, description, preview }] of each.options.entries()) {
      line(`${number + 1}. ${oneLine(label)}${description ? `: ${oneLine(description)}` : ''}`);
      if (preview !== undefined) preview.split('\n').map(indented).forEach(line);
    }
    const how = each.multiSelect === true ? 'Numbers with commas' : 'Number';
    while (true) {
      const typed = await readTypedAnswer(dialog, `${how}, or other words: `, context.signal);
      if (typed === undefined) return closed(context);
      if (isOutOfRange(typed, each)) {
        line(`The choices go from 1 to ${each.options.length}.`);
        continue;
      }
      const answer = answerOf(typed, each);
      if (answer !== '') answers[each.question] = answer;
      break;
    }
  }
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}
