/** Why a call is asked about, in words: parts of a command line, files it writes, rules that came close. */
import type { PermissionExplanation } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { modeName, nameModes, reasonWithoutRule } from '../../words/mode-name.ts';

type Segment = PermissionExplanation['segments'][number];
type Rule = Segment['rules'][number];
type WrittenPath = PermissionExplanation['writes'][number];

export function explanationLines(explanation: PermissionExplanation): readonly string[] {
  const { asker, mode, reason, segments, unseen, writes, readsOutside, missed } = explanation;
  const rule = reason.rule === undefined ? '' : `, ${ruleName(reason.rule)}`;
  const hook = reason.hook === undefined ? '' : `, by the hook ${reason.hook}`;
  return [
    ...(asker.length === 0
      ? []
      : [
          `Asked by: ${asker.map(({ agentType, description }) => `${agentType} (${description})`).join(', which started ')}`,
        ]),
    `Why it is asked: ${reasonWithoutRule(reason, mode) ?? nameModes(reason.text)}${rule}${hook}`,
    ...(segments.length < 2 ? [] : segments.map((segment, at) => `Part ${at + 1}: ${segmentLine(segment)}`)),
    ...(segments.length === 1 ? segments.flatMap(describeNetwork).map((network) => `It ${network}.`) : []),
    ...writes.map((path) => `It writes ${pathName(path)}.`),
    ...readsOutside.map((path) => `It reads ${pathName(path)}.`),
    ...(unseen === undefined ? [] : [`Not all of it can be seen: ${unseen}.`]),
    ...missed.map((near) => `${ruleName(near)} does not match: ${near.difference}.`),
  ].map(oneLine);
}

const VERDICTS: Readonly<Record<Segment['verdict'], string>> = {
  allowed: 'allowed',
  reads: 'only reads in the workspace',
  edits: 'the mode lets it write there',
  asked: 'a rule asks about it',
  feared: 'a deny rule may name it',
  open: 'no rule allows it',
};

function segmentLine(segment: Segment): string {
  const { text, startedBy, verdict, rules, writesUnknown, unknown } = segment;
  const facts = [
    `${unknown ?? VERDICTS[verdict]}${rules.length === 0 ? '' : ` (${rules.map(ruleName).join('; ')})`}`,
    ...(startedBy === undefined ? [] : [`started by ${startedBy}`]),
    ...describeNetwork(segment),
    ...(writesUnknown ? ['writes files whose names only the shell knows'] : []),
  ];
  return `${text}: ${facts.join(', ')}`;
}

function describeNetwork({ network }: Segment): readonly string[] {
  if (network === undefined) return [];
  return [network.length === 0 ? 'uses the network' : `uses the network: ${network.join(', ')}`];
}

function pathName({ path, real, outside, protected: isProtected }: WrittenPath): string {
  return [
    real === undefined ? path : `${path}, a link to ${real}`,
    ...(outside ? ['outside the workspace'] : []),
    ...(isProtected ? ['which decides what may run later'] : []),
  ].join(', ');
}

function ruleName({ rule, behavior, file, source }: Rule): string {
  return `the ${behavior} rule ${rule} in ${file ?? `the ${source} rules`}`;
}

type Offer = PermissionExplanation['offers'][number];

const PLACES: Readonly<Record<Offer['update']['destination'], string>> = {
  session: 'for this session',
  localSettings: 'kept in the local settings',
  projectSettings: "kept in the project's settings",
  userSettings: 'kept in your settings',
  cliArg: 'for this process',
};

/** What "always" would change: the rule, what it allows and what it just does not. */
export function offerLine({ update, rule, matches, misses, caution }: Offer): string {
  const what =
    rule ??
    (update.type === 'setMode'
      ? `the mode ${modeName(update.mode)}`
      : 'directories' in update
        ? `the folder ${update.directories.join(', ')}`
        : update.type);
  return [
    `${what}, ${PLACES[update.destination]}`,
    ...(matches === undefined ? [] : [`allows: ${matches}`]),
    ...(misses === undefined ? [] : [`does not allow: ${misses}`]),
    ...(caution === undefined ? [] : [`caution: ${caution}`]),
  ]
    .map(oneLine)
    .join('; ');
}
