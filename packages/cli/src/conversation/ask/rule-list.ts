/** The list behind "always…": each change with a tick, its place, and calls that show how far it reaches. */
import type { PermissionExplanation, PermissionOffer, PermissionUpdate, RuleCheck } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { shortPath } from '../../words/tool-label.ts';
import { createLineField } from '../commands/list-parts/line-field.ts';
import { answer, type DialogPage, goTo, type KeyOutcome, STAY, UNWRAPPED } from './dialog-page.ts';
import { type Drawing, keyRows } from './explanation-rows.ts';
import { formatUpdate, reachesOutside, type WordedDecision } from './worded-decision.ts';

export interface RuleListParts {
  readonly title: string;
  readonly explanation: PermissionExplanation;
  readonly drawing: Drawing;
  call(columns: number): readonly Row[];
  checkRule(rule: string): Promise<RuleCheck>;
  readonly ownRule: string;
  invalidate(): void;
}

type Rules = Extract<PermissionUpdate, { readonly rules: unknown }>;

interface Item {
  readonly offer: PermissionOffer;
  isTicked: boolean;
  /** Index in the scopes; of folders and modes always the session. */
  scope: number;
}

/** `back`: to the question. */
export function ruleListPage(
  parts: RuleListParts,
  back: () => KeyOutcome<WordedDecision>,
): DialogPage<WordedDecision> {
  const { explanation, drawing, title } = parts;
  const { theme } = drawing;
  const { scopes } = explanation;
  const items: Item[] = explanation.offers.map((offer) => toItem(offer, parts));
  let at = 0;
  let lacksTick = false;
  const itemRows = (columns: number) =>
    items.map((item, index) => rowsOfItem(item, index === at, parts, columns));
  const move = (by: number) => () => {
    at = Math.max(0, Math.min(items.length - 1, at + by));
    return STAY;
  };
  const shift = (by: number) => () => {
    const item = items[at];
    if (item?.offer.rule !== undefined) item.scope = (item.scope + by + scopes.length) % scopes.length;
    return STAY;
  };
  const save = (): KeyOutcome<WordedDecision> => {
    const chosen = items.filter(({ isTicked }) => isTicked);
    lacksTick = chosen.length === 0;
    if (lacksTick) return STAY;
    const updates = chosen.map((item) => toUpdate(item, explanation));
    const words = chosen.map(
      (item) =>
        `${clean(item.offer.rule ?? formatUpdate(item.offer.update, drawing))} → ${scopeName(item, parts)}`,
    );
    return answer({
      result: {
        behavior: 'allow',
        updatedPermissions: updates,
        decisionClassification: 'user_permanent',
      },
      words: `always allowed: ${words.join(', ')}`,
      interrupts: false,
    });
  };
  const edit = (index: number): KeyOutcome<WordedDecision> => {
    const before = items[index]?.offer.rule;
    if (items[index] !== undefined && before === undefined) return STAY;
    const set = (offer: PermissionOffer) => {
      const item = items[index];
      const scope = item?.scope ?? 0;
      if (item === undefined) items.push({ offer, isTicked: true, scope });
      else items[index] = { offer, isTicked: true, scope };
      at = index;
    };
    return goTo(editPage(parts, before ?? parts.ownRule, page, set));
  };
  const page: DialogPage<WordedDecision> = {
    title: `Always allow, from now on (${title})`,
    body: (columns) =>
      items.length === 0
        ? wrap('  Nothing is offered: no rule would allow this call. Add one of your own with a.', columns, {
            hang: '  ',
          })
        : itemRows(columns).flat(),
    focus: (columns) =>
      itemRows(columns)
        .slice(0, at + 1)
        .flat().length - 1,
    foot: (columns) => {
      const count = items.filter(({ isTicked }) => isTicked).length;
      const enter =
        count === 0 ? [] : [`Enter save ${count === 1 ? '1 change' : `${count} changes`} and run it`];
      const keys = ['Space tick', '←→ where', 'e edit', 'a add', ...enter, 'Esc back'];
      const note =
        lacksTick && count === 0 ? wrap(theme.warn('  Nothing is chosen: no row is ticked.'), columns) : [];
      return [...note, ...keyRows(keys, columns, theme)];
    },
    document: () => ({
      title,
      parts: [{ heading: 'What "always" would allow', lines: itemRows(UNWRAPPED).flat() }],
    }),
    moves: {
      up: move(-1),
      down: move(1),
      left: shift(-1),
      right: shift(1),
      space: () => {
        const item = items[at];
        if (item !== undefined) item.isTicked = !item.isTicked;
        return STAY;
      },
      e: () => edit(at),
      a: () => edit(items.length),
    },
    choices: { enter: save },
    escape: back,
  };
  return page;
}

function scopeName({ offer, scope }: Item, { explanation: { scopes }, drawing }: RuleListParts): string {
  const { destination = 'session', file } = (offer.rule === undefined ? undefined : scopes[scope]) ?? {};
  return destination === 'session' || file === undefined ? 'this session' : shortPath(file, drawing);
}

/** `isChosen`: the keys are about it. */
function rowsOfItem(item: Item, isChosen: boolean, parts: RuleListParts, columns: number): readonly string[] {
  const { drawing } = parts;
  const { theme } = drawing;
  const { offer, isTicked } = item;
  const mark = isChosen ? theme.accent('›') : ' ';
  const name = clean(offer.rule ?? formatUpdate(offer.update, drawing));
  const tick = isTicked ? '[x]' : '[ ]';
  const line = `${mark} ${tick} ${isChosen ? theme.bold(name) : name} → ${scopeName(item, parts)}`;
  const reach = [
    ...(offer.matches === undefined ? [] : [`allows ${formatExample(offer.matches, drawing)}`]),
    ...(offer.misses === undefined ? [] : [`not ${formatExample(offer.misses, drawing)}`]),
    ...(offer.caution === undefined ? [] : [`careful: ${oneLine(offer.caution)}`]),
  ];
  const shown = reach.length === 0 ? [] : [theme.dim(`      ${reach.join(' · ')}`)];
  return [line, ...shown].flatMap((text) => wrap(text, columns, { hang: '      ' }));
}

function toItem(offer: PermissionOffer, { explanation, drawing }: RuleListParts): Item {
  const { offers, scopes } = explanation;
  const { destination } = offer.update;
  const scope = Math.max(
    0,
    scopes.findIndex((each) => each.destination === destination),
  );
  // A mode and a folder reach further than the call: among others they are for the person to choose.
  const isMeant = offer.rule !== undefined || (offers.length === 1 && !reachesOutside(offer.update, drawing));
  return { offer, isTicked: isMeant && offer.caution === undefined, scope };
}

function toUpdate({ offer, scope }: Item, { scopes }: PermissionExplanation): PermissionUpdate {
  const { update } = offer;
  const destination = scopes[scope]?.destination ?? 'session';
  return offer.rule === undefined ? update : { ...update, destination };
}

/** A line with one rule. It is taken when it is a rule; what it would allow is shown in the list. */
function editPage(
  { checkRule, drawing, explanation, invalidate, title }: RuleListParts,
  text: string,
  list: DialogPage<WordedDecision>,
  set: (offer: PermissionOffer) => void,
): DialogPage<WordedDecision> {
  const { theme } = drawing;
  let now = createLineField(text);
  let checked: RuleCheck | undefined;
  let count = 0;
  const check = async () => {
    const mine = ++count;
    const found = await checkRule(now.text.trim());
    if (mine !== count) return;
    checked = found;
    invalidate();
  };
  void check();
  const offerOf = (rule: Extract<RuleCheck, { readonly ok: true }>): PermissionOffer => {
    const [, toolName = rule.rule, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule.rule) ?? [];
    const update: Rules = {
      type: 'addRules',
      rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
      behavior: 'allow',
      destination: explanation.scopes[0]?.destination ?? 'session',
    };
    const { matches, misses, caution } = rule;
    return {
      update,
      rule: rule.rule,
      ...(matches !== undefined && { matches }),
      ...(misses !== undefined && { misses }),
      ...(caution !== undefined && { caution }),
    };
  };
  return {
    title: `A rule (${title})`,
    body: (columns) =>
      wrap(noteOn(checked, explanation, drawing), columns - 2, { hang: '  ' }).map((row) => `  ${row}`),
    foot: (columns) => keyRows(['Enter takes it', 'Esc back'], columns, theme),
    document: list.document,
    choices: {},
    field: {
      label: '  rule:',
      get now() {
        return now;
      },
      change(to) {
        now = to;
        checked = undefined;
        void check();
      },
      submit() {
        if (checked?.ok !== true) return STAY;
        set(offerOf(checked));
        return goTo(list);
      },
    },
    escape: () => goTo(list),
  };
}

/** A command or an address as it is; a file like the other files of the dialog. */
function formatExample(call: string, drawing: Drawing): string {
  return call.startsWith(`${drawing.cwd}/`) ? shortPath(call, drawing) : oneLine(call);
}

function noteOn(
  checked: RuleCheck | undefined,
  { segments }: PermissionExplanation,
  drawing: Drawing,
): string {
  if (checked === undefined) return '…';
  if (!checked.ok) return clean(checked.problem);
  return [
    checked.applies
      ? `It allows ${segments.length > 1 ? 'this call, or a command of it' : 'this call'}.`
      : 'It does not allow this call.',
    ...(checked.matches === undefined ? [] : [`It allows ${formatExample(checked.matches, drawing)}.`]),
    ...(checked.misses === undefined ? [] : [`It does not allow ${formatExample(checked.misses, drawing)}.`]),
    ...(checked.caution === undefined ? [] : [`Careful: ${oneLine(checked.caution)}.`]),
  ].join(' ');
}
