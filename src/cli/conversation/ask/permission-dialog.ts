/** The permission question: the call, its commands with their verdicts, the reason, the choices. */
import type { PermissionExplanation, PermissionUpdate, RuleCheck } from '../../../index.ts';
import type { Row } from '../../../terminal/renderer/frame.ts';
import { wrap } from '../../../terminal/text/wrap.ts';
import { fieldOf } from '../commands/line-field.ts';
import type { ViewDocument } from '../overlay.ts';
import { type Decision, decided, denied, forSession, nameOf, namesOf, refusal } from './decision.ts';
import { type Drawing, missedRows, pathRows, reasonRows, segmentRows, textRows } from './explanation-rows.ts';
import { goTo, type Page, type Turn } from './page.ts';
import { type RuleListParts, ruleListPage } from './rule-list.ts';

export interface PermissionRequest {
  /** `Bash`, or the title of an MCP tool. */
  readonly title: string;
  /** The call in full: a command, a diff, or its fields. */
  call(columns: number): readonly Row[];
  readonly explanation: PermissionExplanation;
  /** The updates of "always", in the order of the offers; undefined: nothing to offer. */
  readonly updates: readonly PermissionUpdate[] | undefined;
  checkRule(rule: string): Promise<RuleCheck>;
  /** A rule to begin with when the person adds one of their own. */
  readonly ownRule: string;
}

export interface PermissionPageParts extends PermissionRequest {
  readonly drawing: Drawing;
  invalidate(): void;
}

export function permissionPage(parts: PermissionPageParts): Page<Decision> {
  const { explanation, drawing, updates } = parts;
  const { theme } = drawing;
  const session = updates?.map(forSession);
  const offersRules = explanation.offers.length > 0 || takesRules(explanation);
  const sections = (columns: number): readonly (readonly Row[])[] => [
    parts.call(columns),
    segmentRows(explanation, columns, drawing),
    pathRows(explanation, columns, drawing),
    missedRows(explanation, columns, drawing),
    offeredRows(session, columns, drawing),
  ];
  const page: Page<Decision> = {
    title: titleOf(parts),
    body: (columns) => sections(columns).flat(),
    foot: (columns) => [
      ...reasonRows(explanation, columns, drawing),
      ...wrap(theme.accent(`  ${choicesOf(session, offersRules)}`), columns, { hang: '  ' }),
    ],
    document: () => documentOf(parts, sections(DOCUMENT_COLUMNS)),
    choices: {
      '1': () => decided({ behavior: 'allow' }, 'allowed once'),
      ...(session !== undefined && {
        '2': () =>
          decided(
            { behavior: 'allow', updatedPermissions: session },
            `allowed for this session: ${namesOf(session, drawing)}`,
          ),
      }),
      ...(offersRules && { '3': () => goTo(ruleListPage(listParts(parts), () => goTo(page))) }),
      '4': () => denied(''),
      '5': () => goTo(reasonPage(page, denied)),
    },
    escape: () => refusal(),
  };
  return page;
}

/** The same page with a line for the reason of a "no". */
export function reasonPage<T>(from: Page<T>, submit: (words: string) => Turn<T>): Page<T> {
  let now = fieldOf('');
  return {
    ...from,
    foot: (columns) => from.foot(columns).slice(0, -1),
    choices: {},
    field: {
      label: '  tell it why:',
      get now() {
        return now;
      },
      change: (to) => {
        now = to;
      },
      submit: () => submit(now.text.trim()),
    },
    escape: () => goTo(from),
  };
}

function choicesOf(session: readonly PermissionUpdate[] | undefined, offersRules: boolean): string {
  return [
    '1 once',
    ...(session === undefined ? [] : ['2 this session']),
    ...(offersRules ? ['3 always…'] : []),
    '4 no',
    '5 no, and tell it why',
    'Esc no, and interrupt',
    '^O all',
  ].join(' · ');
}

function titleOf({ title, explanation }: PermissionRequest): string {
  const path = explanation.asker.map(({ agentType }) => agentType).join(' ▸ ');
  const task = explanation.asker.at(-1)?.description;
  return `${title}${path === '' ? '' : ` for the agent ${path}${task ? ` (${task})` : ''}`}`;
}

/** What 2 would change, and 3 with fewer or other ones: seen before it is chosen. */
function offeredRows(
  updates: readonly PermissionUpdate[] | undefined,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  const { theme } = drawing;
  if (updates === undefined)
    return wrap(theme.dim('  no rule that could be offered would allow this call'), columns);
  return wrap(
    theme.dim(`  2, 3 would allow: ${updates.map((update) => nameOf(update, drawing)).join(' · ')}`),
    columns,
    { hang: '    ' },
  );
}

/** Whether a rule of the person's own could allow the call. */
function takesRules({ reason, unseen }: PermissionExplanation): boolean {
  return unseen === undefined && (reason.type === 'other' || reason.type === 'workingDir');
}

function listParts(parts: PermissionPageParts): RuleListParts {
  const { explanation, drawing, checkRule, ownRule, invalidate } = parts;
  return { title: titleOf(parts), explanation, drawing, checkRule, ownRule, invalidate, call: parts.call };
}

const DOCUMENT_COLUMNS = 100;

function documentOf(parts: PermissionPageParts, sections: readonly (readonly Row[])[]): ViewDocument {
  const { explanation, drawing } = parts;
  const [call = [], segments = [], paths = [], missed = []] = sections;
  const offers = explanation.offers.flatMap(({ update, rule, matches, misses, caution }) => [
    rule ?? nameOf(update, drawing),
    ...(matches === undefined ? [] : [`  allows: ${matches}`]),
    ...(misses === undefined ? [] : [`  does not allow: ${misses}`]),
    ...(caution === undefined ? [] : [`  ${caution}`]),
  ]);
  const sectionsOf: readonly (readonly [string, readonly string[]])[] = [
    ['The call', call],
    [
      'Why it is asked about',
      [
        ...reasonRows(explanation, DOCUMENT_COLUMNS, drawing),
        ...textRows(explanation.reason.text, DOCUMENT_COLUMNS),
      ],
    ],
    ['Its commands', segments],
    ['Files', paths],
    ['Rules that come close', missed],
    ['What "always" would allow', offers],
  ];
  return {
    title: titleOf(parts),
    parts: sectionsOf.flatMap(([heading, lines]) => (lines.length === 0 ? [] : [{ heading, lines }])),
  };
}
