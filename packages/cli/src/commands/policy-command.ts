/** `turnwright policy try`: what other rules would have made of recorded calls. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import {
  type PolicyTrial,
  type SmallestOffer,
  type SmallestSet,
  type TriedVerdict,
  tryPolicy,
} from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { PolicyInvocation, TrialFailure } from '../flags/policy-flags.ts';
import { alignedRows, counted } from '../words/units.ts';
import type { World } from '../world.ts';

export async function runPolicyCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { settings, sessions, flags }: PolicyInvocation,
): Promise<ExitCode> {
  const { allow, ask, deny, without, permissionMode: mode, sandbox, instead, allProjects, limit } = flags;
  const report = await tryPolicy(
    { allow, ask, deny, without, mode, sandbox, instead },
    { cwd, env, settings, sessions, allProjects, limit },
  );
  const text = flags.json === true ? JSON.stringify(report, undefined, 2) : visible(trialText(report));
  await out.write(`${text}\n`);
  if (report.calls === 0) return EXIT.notRecorded;
  return (flags.failOn ?? []).some((each) => countFailures(report)[each] > 0) ? EXIT.error : EXIT.success;
}

const countFailures = ({
  newlyAllowed,
  newlyAsked,
  newlyDenied,
}: PolicyTrial): Readonly<Record<TrialFailure, number>> => ({
  'newly-allowed': newlyAllowed,
  'newly-asked': newlyAsked,
  'newly-denied': newlyDenied,
});

/** Columns of a line. */
const WIDTH = 80;
/** Of each list. */
const MOST_LINES = 10;

/** The counts first, then what makes them, rule by rule. */
export function trialText(report: PolicyTrial): string {
  const { calls, sessions, notes, smallest } = report;
  const read = `${counted(calls, 'call')} of ${counted(sessions, 'session')}`;
  if (calls === 0) return [`No recorded call can be tried: ${read}.`, ...noteLines(notes)].join('\n');
  return [
    `${read}, decided again under the changed rules.`,
    '',
    ...countLines(report),
    ...ruleLines(report),
    ...changedLines(report),
    ...idleLines(report),
    ...(smallest === undefined ? [] : smallestLines(smallest)),
    ...noteLines(notes),
  ].join('\n');
}

function countLines({ unchanged, newlyAllowed, newlyAsked, newlyDenied, before, after }: PolicyTrial) {
  const questions = before.ask - after.ask;
  const rows = [
    ['unchanged', grouped(unchanged), ''],
    ['newly allowed', grouped(newlyAllowed), ''],
    ['newly asked', grouped(newlyAsked), ''],
    ['newly denied', grouped(newlyDenied), ''],
  ];
  const change =
    questions === 0
      ? 'as many as before'
      : `${grouped(Math.abs(questions))} ${questions > 0 ? 'fewer' : 'more'}`;
  return [
    ...alignedRows(rows, 1),
    `questions: ${grouped(before.ask)} before, ${grouped(after.ask)} now (${change})`,
  ];
}

function ruleLines({ rules }: PolicyTrial): readonly string[] {
  if (rules.length === 0) return [];
  const shown = rules.slice(0, MOST_LINES);
  return [
    '',
    'By rule (* = tried):',
    ...shown.flatMap(({ rule, behavior, source, decided, saved, made, denied, examples }) => [
      cut(`${source === 'trial' ? '*' : ' '} ${behavior} ${rule}`),
      cut(
        `    ${[
          counted(decided, 'call'),
          ...(saved > 0 ? [`${counted(saved, 'question')} saved`] : []),
          ...(made > 0 ? [`${counted(made, 'question')} made`] : []),
          ...(denied > 0 ? [`${grouped(denied)} newly denied`] : []),
        ].join(', ')}`,
      ),
      ...examples.map((example) => cut(`      ${example}`)),
    ]),
    ...restOf(rules, shown),
  ];
}

/** What no rule of the list above explains: a mode, the sandbox, a rule that is gone. */
function changedLines({ changed }: PolicyTrial): readonly string[] {
  const others = changed.filter(({ after }) => after.source !== 'rule');
  if (others.length === 0) return [];
  const shown = others.slice(0, MOST_LINES);
  return [
    '',
    'Changed by no rule (mode, sandbox, folders, rules left out):',
    ...shown.map(({ tool, subject, before, after }) =>
      cut(`  ${before.verdict} → ${after.verdict}${shownSource(after)}  ${tool}: ${subject}`),
    ),
    ...restOf(others, shown),
  ];
}

const shownSource = ({ source }: TriedVerdict): string => (source === 'other' ? '' : ` (${source})`);

function idleLines({ decidedNothing }: PolicyTrial): readonly string[] {
  if (decidedNothing.length === 0) return [];
  const sorted = decidedNothing.toSorted(
    (a, b) => Number(b.source === 'trial') - Number(a.source === 'trial'),
  );
  const shown = sorted.slice(0, MOST_LINES);
  return [
    '',
    'Decided nothing:',
    ...shown.map(({ rule, behavior, source }) =>
      cut(`${source === 'trial' ? '*' : ' '} ${behavior} ${rule}`),
    ),
    ...restOf(sorted, shown),
  ];
}

function smallestLines(smallest: SmallestSet): readonly string[] {
  const { offers, approved, allowed, beyondRules, likeRefused, refused, isSmallest, atLeast } = smallest;
  if (approved === 0) return [];
  const proof = isSmallest ? 'no smaller set does' : `found step by step; at least ${atLeast} are needed`;
  const left = [
    ...(beyondRules > 0 ? [`  ${counted(beyondRules, 'call')} that no rule allows stay a question.`] : []),
    ...(likeRefused > 0 ? [`  ${counted(likeRefused, 'call')} cannot be separated from refused ones.`] : []),
  ];
  return [
    '',
    'The fewest rules that would have allowed what a person approved, and nothing',
    'that one refused, beside the recorded rules:',
    ...offers.map((offer) =>
      cut(
        `  ${offerText(offer)}  (${counted(offer.calls, 'call')} ${offer.calls === 1 ? 'needs' : 'need'} it)`,
      ),
    ),
    `  ${grouped(allowed)} of ${counted(approved, 'approved call')}, ${grouped(refused)} refused; ${proof}.`,
    ...left,
  ];
}

function offerText(offer: SmallestOffer): string {
  switch (offer.kind) {
    case 'rule':
      return `allow ${offer.rule}`;
    case 'directory':
      return `folder ${offer.directory}`;
    case 'mode':
      return `mode ${offer.mode}`;
  }
}

const noteLines = (notes: readonly string[]): readonly string[] =>
  notes.length === 0 ? [] : ['', ...notes.flatMap((each) => folded(`note: ${each}`))];

const restOf = (all: readonly unknown[], shown: readonly unknown[]): readonly string[] =>
  all.length === shown.length ? [] : [`  … and ${all.length - shown.length} more (--json has all)`];

function cut(line: string): string {
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  const text = indent + oneLine(line);
  return text.length <= WIDTH ? text : `${takeStart(text, WIDTH - 1)}…`;
}

function folded(text: string): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const longer = lines[last] === '' ? word : `${lines[last]} ${word}`;
    if (longer.length <= WIDTH) lines[last] = longer;
    else lines.push(`  ${word}`);
  }
  return lines;
}
