/** Questions as numbered lists: permissions, plans, questions of the model and of MCP servers. */
import {
  type CanUseTool,
  type CanUseToolContext,
  type Options,
  type PermissionResult,
  type PermissionUpdate,
  toolFacts,
} from '../../../index.ts';
import { oneLine, visible } from '../../../terminal/text/visible.ts';
import { alwaysUpdates, describeCall, describeUpdates } from '../../screen/answers.ts';
import { answerOf } from '../../screen/ask-questions.ts';
import { counted } from '../../screen/units.ts';
import { elicit } from './line-elicitation.ts';
import { type Choice, choose, type LineDialog, readAnswer } from './numbered.ts';
import { explanationLines, offerLine } from './spoken-explanation.ts';
import { firstLines } from './spoken-items.ts';

interface AskedCall {
  readonly toolUseId: string;
  /** Time of the person, which is not the tool's. */
  readonly waitedMs?: number;
  readonly isDenied?: boolean;
}

interface LineAskerOptions {
  readonly dialog: LineDialog;
  /** A question opened, or closed. */
  onQuestion(change: 1 | -1, about: AskedCall): void;
  /** Ends an unfinished line of the answer. */
  endLine(): void;
}

type LineAsker = Required<Pick<Options, 'canUseTool' | 'onElicitation'>>;

/** One question at a time, in the order in which they are asked. */
export function createLineAsker({ dialog, onQuestion, endLine }: LineAskerOptions): LineAsker {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const mine = last.then(ask);
    last = mine.catch(() => undefined);
    return mine;
  };
  const canUseTool: CanUseTool = (toolName, input, context) =>
    inTurn(async () => {
      if (context.signal.aborted) return null;
      onQuestion(1, { toolUseId: context.toolUseID });
      endLine();
      const sinceMs = dialog.nowMs();
      let answer: PermissionResult | null = null;
      try {
        answer = await askAbout(toolName, input, context, dialog);
      } finally {
        const isDenied = answer?.behavior === 'deny';
        onQuestion(-1, { toolUseId: context.toolUseID, waitedMs: dialog.nowMs() - sinceMs, isDenied });
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

function askAbout(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  dialog: LineDialog,
): Promise<PermissionResult | null> {
  const { asks } = toolFacts(toolName);
  if (asks === 'questions') return askQuestions(input, context, dialog);
  if (asks === 'plan') return askAboutPlan(input, context, dialog);
  return askPermission(toolName, input, context, dialog);
}

/** Lines of a call that are read out before its question; the others on request. */
const CALL_LINES = 40;

type Verdict = 'once' | 'always' | 'all' | 'no' | 'why';

async function askPermission(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  dialog: LineDialog,
): Promise<PermissionResult | null> {
  const { line } = dialog;
  const explanation = await context.explain?.().catch(() => undefined);
  const always = toolFacts(toolName).asks === 'once' ? undefined : alwaysUpdates(input, context);
  const offers = always === undefined ? [] : (explanation?.offers ?? []);
  const whose = context.agentID === undefined ? '' : ', for a subagent';
  line(`Question: may ${oneLine(context.displayName ?? toolName)} do this${whose}?`);
  const call = describeCall(input).split('\n');
  for (const text of firstLines(call, CALL_LINES)) line(text);
  if (explanation !== undefined) explanationLines(explanation).forEach(line);
  else if (context.decisionReason !== undefined) line(`Why it is asked: ${oneLine(context.decisionReason)}`);
  const choices: readonly Choice<Verdict>[] = [
    { value: 'once', label: 'Yes, once' },
    ...(always === undefined ? [] : [{ value: 'always' as const, label: alwaysLabel(offers, always) }]),
    { value: 'no', label: 'No' },
    { value: 'why', label: 'No, and tell the model why', asksWords: 'Why' },
    ...(call.length > CALL_LINES
      ? [{ value: 'all' as const, label: `Read all ${counted(call.length, 'line')} of it` }]
      : []),
  ];
  while (true) {
    const chosen = await choose(dialog, choices, { signal: context.signal });
    if (chosen === undefined) return closed(context);
    switch (chosen.value) {
      case 'all':
        for (const text of firstLines(call, call.length)) line(text);
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
        return { behavior: 'deny', message: DENIED };
      case 'why':
        return denied(chosen.words);
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
    const answer = await readAnswer(dialog, 'Numbers with commas, or Enter to go back: ', signal);
    if (answer === undefined || answer === '') return undefined;
    const chosen = answer.split(/[\s,]+/).map((number) => offers[Number(number) - 1]);
    const updates = chosen.flatMap((offer) => (offer === undefined ? [] : [offer.update]));
    if (updates.length === chosen.length) return [...new Set(updates)];
    dialog.line(`The rules go from 1 to ${offers.length}.`);
  }
}

const DENIED = 'The user does not allow this call.';

function denied(words: string): PermissionResult {
  return { behavior: 'deny', message: words === '' ? DENIED : `${DENIED} They say: ${words}` };
}

/** The question was withdrawn, or the input has ended. */
function closed({ signal }: CanUseToolContext): PermissionResult | null {
  if (signal.aborted) return null;
  return {
    behavior: 'deny',
    message: 'The user closed the question without an answer, so this call is not allowed.',
  };
}

async function askAboutPlan(
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  dialog: LineDialog,
): Promise<PermissionResult | null> {
  dialog.line('Question: is this plan right?');
  for (const text of visible(String(input['plan'] ?? '')).split('\n')) dialog.line(text);
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
      return { behavior: 'allow' };
    case 'edits':
      return {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      };
    case 'no':
      return denied(chosen.words);
  }
}

interface ModelQuestion {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** An empty line is no answer, which the model receives as such. */
async function askQuestions(
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  dialog: LineDialog,
): Promise<PermissionResult | null> {
  const { line } = dialog;
  const answers: Record<string, string> = {};
  const questions = (Array.isArray(input['questions']) ? input['questions'] : []).filter(
    (each): each is ModelQuestion => typeof each?.question === 'string' && Array.isArray(each?.options),
  );
  for (const [at, each] of questions.entries()) {
    const which = questions.length === 1 ? '' : ` ${at + 1} of ${questions.length}`;
    line(`Question${which}: ${oneLine(each.question)}`);
    for (const [number, { label, description }] of each.options.entries())
      line(`${number + 1}. ${oneLine(label)}${description ? `: ${oneLine(description)}` : ''}`);
    const how = each.multiSelect === true ? 'Numbers with commas' : 'Number';
    while (true) {
      const typed = await readAnswer(dialog, `${how}, or other words: `, context.signal);
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

/** Only numbers, one of which is not a choice: a mistake rather than free text. */
function isOutOfRange(typed: string, { options }: ModelQuestion): boolean {
  if (options.length === 0 || !/^\d+(?:[\s,]+\d+)*$/.test(typed)) return false;
  return typed.split(/[\s,]+/).some((number) => options[Number(number) - 1] === undefined);
}
