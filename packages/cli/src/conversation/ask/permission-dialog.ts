/** The permission question: the call, its commands with their verdicts, the reason, the choices. */
import type { PermissionExplanation, PermissionUpdate, RuleCheck } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cutRow } from '@turnwright/terminal/text/cells.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { textRows } from '../../words/call-rows.ts';
import { nameModes } from '../../words/mode-name.ts';
import { createLineField } from '../commands/list-parts/line-field.ts';
import type { ViewDocument } from '../overlay.ts';
import { viewHint } from './dialog-keys.ts';
import { type DialogPage, goTo, type KeyOutcome, UNWRAPPED } from './dialog-page.ts';
import { type Drawing, keyRows, missedRows, pathRows, reasonRows, segmentRows } from './explanation-rows.ts';
import { markChoices } from './marked-choices.ts';
import { type RuleListParts, ruleListPage } from './rule-list.ts';
import {
  decided,
  denied,
  denyAndInterrupt,
  formatUpdate,
  formatUpdates,
  forSession,
  reachesOutside,
  type WordedDecision,
} from './worded-decision.ts';

interface PermissionRequest {
  /** `Bash`, or the title of an MCP tool. */
  readonly title: string;
  /** The call in a few words: `Bash npm test`. */
  readonly summary: string;
  /** The call in full: a command, a diff, or its fields. */
  call(columns: number): readonly Row[];
  readonly explanation: PermissionExplanation;
  /** The updates of "always", in the order of the offers; undefined: nothing to offer. */
  readonly updates: readonly PermissionUpdate[] | undefined;
  checkRule(rule: string): Promise<RuleCheck>;
  /** A rule to begin with when the person adds one of their own. */
  readonly ownRule: string;
}

interface PermissionPageParts extends PermissionRequest {
  readonly drawing: Drawing;
  invalidate(): void;
}

/** Rows of the foot; longer ones are in the body too. */
const WHY_ROWS = 3;
const OFFER_ROWS = 2;

function firstRows(rows: readonly Row[], most: number, columns: number): readonly Row[] {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), `${cutRow(rows[most - 1] ?? '', columns - 2)} …`];
}

export function permissionPage(parts: PermissionPageParts): DialogPage<WordedDecision> {
  const { explanation, drawing, updates } = parts;
  const { theme } = drawing;
  // What opens folders outside is offered one by one in the list, never by one key.
  const opensOutside = updates?.some((update) => reachesOutside(update, drawing)) === true;
  const session = opensOutside ? undefined : updates?.map(forSession);
  const offersRules = explanation.offers.length > 0 || takesRules(explanation);
  const sections = (columns: number): readonly (readonly Row[])[] => [
    parts.call(columns),
    segmentRows(explanation, columns, drawing),
    pathRows(explanation, columns, drawing),
    missedRows(explanation, columns, drawing),
  ];
  const why = (columns: number) => reasonRows(explanation, columns, drawing);
  const offered = (columns: number) =>
    offeredRows(updates, session === undefined ? '3' : '2, 3', columns, drawing);
  /** What the foot has no room for. */
  const rest = (columns: number) => [
    ...(why(columns).length > WHY_ROWS ? why(columns) : []),
    ...(offered(columns).length > OFFER_ROWS ? offered(columns) : []),
  ];
  const allowOnce = () => decided({ behavior: 'allow' }, 'allowed once');
  const allowForSession = (updates: readonly PermissionUpdate[]) =>
    decided(
      { behavior: 'allow', updatedPermissions: updates },
      `allowed for this session: ${formatUpdates(updates, drawing)}`,
    );
  const listRules = () => goTo(ruleListPage(listParts(parts), () => goTo(page)));
  const marked = markChoices<WordedDecision>([
    { key: '1', label: 'once', take: allowOnce },
    ...(session === undefined
      ? []
      : [{ key: '2', label: 'this session', take: () => allowForSession(session) }]),
    ...(offersRules ? [{ key: '3', label: 'always…', take: listRules }] : []),
    { key: '4', label: 'no', take: () => denied('') },
    { key: '5', label: 'no, and tell it why', take: () => goTo(reasonPage(page, denied)) },
  ]);
  const page: DialogPage<WordedDecision> = {
    title: formatTitle(parts),
    summary: parts.summary,
    body: (columns) => [...sections(columns).flat(), ...rest(columns)],
    foot: (columns) => [
      ...firstRows(why(columns), WHY_ROWS, columns),
      ...firstRows(offered(columns), OFFER_ROWS, columns),
      ...keyRows([...marked.hints(), 'Esc no, and interrupt', ...viewHint(drawing.keys)], columns, theme),
    ],
    document: () => buildDocument(parts, sections(UNWRAPPED)),
    ...marked,
    escape: () => denyAndInterrupt(),
  };
  return page;
}

/** The same page with a line for the reason of a "no". */
export function reasonPage<T>(from: DialogPage<T>, submit: (words: string) => KeyOutcome<T>): DialogPage<T> {
  let now = createLineField('');
  return {
    ...from,
    foot: () => [],
    choices: {},
    moves: {},
    field: {
      label: '  why (Enter sends it, Esc back):',
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

function formatTitle({ title, explanation }: PermissionRequest): string {
  const path = explanation.asker.map(({ agentType }) => agentType).join(' ▸ ');
  const task = explanation.asker.at(-1)?.description;
  return `${title}${path === '' ? '' : ` for the agent ${path}${task ? ` (${task})` : ''}`}`;
}

/** What 2 would change, and 3 with fewer or other ones: seen before it is chosen. */
function offeredRows(
  updates: readonly PermissionUpdate[] | undefined,
  keys: string,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  const { theme } = drawing;
  if (updates === undefined)
    return wrap(theme.dim('  no rule that could be offered would allow this call'), columns, {
      hang: '    ',
    });
  return wrap(
    theme.dim(`  ${keys} would allow: ${updates.map((update) => formatUpdate(update, drawing)).join(' · ')}`),
    columns,
    { hang: '    ' },
  );
}

/** Whether a rule of the person's own could allow the call. */
function takesRules({ reason, segments, unseen }: PermissionExplanation): boolean {
  const isKnown = segments.every(({ unknown }) => unknown === undefined);
  return unseen === undefined && isKnown && (reason.type === 'other' || reason.type === 'workingDir');
}

function listParts(parts: PermissionPageParts): RuleListParts {
  const { explanation, drawing, checkRule, ownRule, invalidate } = parts;
  return {
    title: formatTitle(parts),
    explanation,
    drawing,
    checkRule,
    ownRule,
    invalidate,
    call: parts.call,
  };
}

/** In the words of the dialog, then in those of the engine or the hook where they say more. */
function explainAsk(explanation: PermissionExplanation, drawing: Drawing): readonly Row[] {
  const rows = reasonRows(explanation, UNWRAPPED, drawing);
  const { hook, text: reason } = explanation.reason;
  const text = textRows(hook === undefined ? nameModes(reason) : reason, UNWRAPPED);
  const isSaid = text.every((row) => rows.some((said) => said.includes(row.trim())));
  return isSaid ? rows : [...rows, ...text];
}

function buildDocument(parts: PermissionPageParts, sections: readonly (readonly Row[])[]): ViewDocument {
  const { explanation, drawing } = parts;
  const [call = [], segments = [], paths = [], missed = []] = sections;
  const offers = explanation.offers.flatMap(({ update, rule, matches, misses, caution }) => [
    rule ?? formatUpdate(update, drawing),
    ...(matches === undefined ? [] : [`  allows: ${matches}`]),
    ...(misses === undefined ? [] : [`  does not allow: ${misses}`]),
    ...(caution === undefined ? [] : [`  ${caution}`]),
  ]);
  const sectionsOf: readonly (readonly [string, readonly string[]])[] = [
    ['The call', call],
    ['Why it is asked about', explainAsk(explanation, drawing)],
    ['Its commands', segments],
    ['Files', paths],
    ['Rules that come close', missed],
    ['What "always" would allow', offers],
  ];
  return {
    title: formatTitle(parts),
    parts: sectionsOf.flatMap(([heading, lines]) => (lines.length === 0 ? [] : [{ heading, lines }])),
  };
}
