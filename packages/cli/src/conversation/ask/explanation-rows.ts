/** What is known of a call that is asked about, as rows. Nothing is cut: long text is wrapped. */
import type { ExplainedPath, ExplainedSegment, PermissionExplanation, RuleInFile } from '@turnwright/engine';
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cells } from '@turnwright/terminal/text/cells.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { nameModes, reasonWithoutRule } from '../../words/mode-name.ts';
import { type ShownPlace, shortPath } from '../../words/tool-label.ts';
import type { DialogKeys } from './dialog-keys.ts';

export interface Drawing extends ShownPlace {
  readonly theme: Theme;
  readonly keys: DialogKeys;
  readonly highlighter?: Highlighter | undefined;
}

/** What keys do, as rows that break between two of them. */
export function keyRows(keys: readonly string[], columns: number, theme: Theme): readonly Row[] {
  const rows: string[] = [];
  for (const key of keys) {
    const last = rows.at(-1);
    const joined = last === undefined ? undefined : `${last} · ${key}`;
    if (joined !== undefined && cells(joined) <= columns - 2) rows[rows.length - 1] = joined;
    else rows.push(key);
  }
  return rows.flatMap((row) => wrap(`  ${row}`, columns, { hang: '  ' })).map(theme.accent);
}

/** One row for each command: its verdict, its text, the rule behind it or `no rule`, and what it does. */
export function segmentRows(
  { segments, missed, unseen }: PermissionExplanation,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  const { theme } = drawing;
  const rows = segments.flatMap((segment, at) => {
    const lead = '  '.repeat(segment.depth + 1);
    const hang = `${lead}    `;
    const miss = missed.find((each) => each.segment === at);
    const facts = listFacts(segment, drawing).map((fact) => ` · ${fact}`);
    const starter = segment.startedBy === undefined ? '' : theme.dim(`${clean(segment.startedBy)} starts `);
    const line = `${lead}${pickMark(segment, theme)} ${starter}${oneLine(segment.text)}${theme.dim(facts.join(''))}`;
    return [
      ...wrap(line, columns, { hang }),
      ...(miss === undefined
        ? []
        : wrap(theme.dim(`${lead}  ${nearly(miss, miss.difference, drawing)}`), columns, { hang })),
    ];
  });
  const hidden =
    unseen === undefined
      ? []
      : wrap(theme.warn(`  ! not everything can be seen: ${clean(unseen)}`), columns, { hang: '    ' });
  return [...rows, ...hidden];
}

function pickMark({ verdict }: ExplainedSegment, theme: Theme): string {
  switch (verdict) {
    case 'allowed':
    case 'reads':
    case 'edits':
      return theme.good('✓');
    case 'asked':
    case 'open':
      return theme.warn('?');
    case 'feared':
      return theme.bad('!');
  }
}

function listFacts(segment: ExplainedSegment, drawing: Drawing): readonly string[] {
  const { verdict, rules, writes, writesUnknown, network, unknown } = segment;
  const named = rules.map((rule) => ruleName(rule, drawing)).join(', ');
  const why: Readonly<Record<ExplainedSegment['verdict'], string>> = {
    allowed: named,
    reads: 'only reads in the workspace',
    edits: 'edits in the workspace',
    asked: `to be asked about by ${named}`,
    feared: `may be what ${named} denies`,
    open: unknown === undefined ? 'no rule' : oneLine(unknown),
  };
  return [
    why[verdict],
    ...writes.map((path) => `writes ${pathName(path, drawing)}`),
    ...(writesUnknown ? ['writes files that only the shell knows'] : []),
    ...(network === undefined
      ? []
      : [`network${network.length === 0 ? '' : `: ${network.map(oneLine).join(', ')}`}`]),
  ];
}

/** Files that are written and read outside, of a tool that has no segments. */
export function pathRows(
  { writes, readsOutside, segments }: PermissionExplanation,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  const written = segments.length > 0 ? [] : writes.map((path) => `writes ${pathName(path, drawing)}`);
  const read = readsOutside.map((path) => `reads ${pathName(path, drawing)}`);
  return [...written, ...read].flatMap((text) => wrap(`  ${text}`, columns, { hang: '    ' }));
}

/** A rule that comes close, of a call without segments. */
export function missedRows(
  { missed }: PermissionExplanation,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  return missed
    .filter(({ segment }) => segment === undefined)
    .flatMap((miss) =>
      wrap(drawing.theme.dim(`  ${nearly(miss, miss.difference, drawing)}`), columns, { hang: '    ' }),
    );
}

function nearly(rule: RuleInFile, difference: string, drawing: Drawing): string {
  return `not ${ruleName(rule, drawing)}: ${oneLine(difference)}`;
}

/** The reason for the question, and the rule or hook that is behind it. */
export function reasonRows(
  { reason, mode, segments }: PermissionExplanation,
  columns: number,
  drawing: Drawing,
): readonly Row[] {
  const { theme } = drawing;
  return wrap(`${theme.bold('  why:')} ${reasonText(reason, { mode, segments }, drawing)}`, columns, {
    hang: '       ',
  });
}

function reasonText(
  { type, text, rule, hook }: PermissionExplanation['reason'],
  { mode, segments }: Pick<PermissionExplanation, 'mode' | 'segments'>,
  drawing: Drawing,
): string {
  if (hook !== undefined) return `the hook ${oneLine(hook)} asks: ${oneLine(text)}`;
  if (rule !== undefined)
    return rule.behavior === 'deny'
      ? `it may be what the rule ${ruleName(rule, drawing)} denies`
      : `the rule ${ruleName(rule, drawing)} asks for it`;
  const what = segments.length > 1 ? 'all of it' : 'it';
  return reasonWithoutRule({ type, text }, mode, what) ?? oneLine(nameModes(afterCall(text)));
}

/** Sentences of the engine begin with the call, which the dialog has shown already. */
function afterCall(text: string): string {
  const at = text.indexOf(' needs approval: ');
  return at < 0 ? text : text.slice(at + ' needs approval: '.length);
}

const SOURCES: Readonly<Record<RuleInFile['source'], string>> = {
  userSettings: 'the user settings',
  projectSettings: 'the project settings',
  localSettings: 'the local settings',
  flagSettings: 'the settings of this run',
  policySettings: 'the managed settings',
  command: 'a command',
  session: 'this session',
  cliArg: 'the flags of this run',
};

/** `Bash(npm test:*) in .turnwright/settings.json` */
function ruleName({ rule, file, source }: RuleInFile, drawing: Drawing): string {
  return `${clean(rule)} in ${file === undefined ? SOURCES[source] : shortPath(file, drawing)}`;
}

function pathName({ path, real, outside, protected: granting }: ExplainedPath, drawing: Drawing): string {
  return [
    `${shortPath(path, drawing)}${real === undefined ? '' : ` → ${shortPath(real, drawing)}`}`,
    ...(outside ? ['outside the workspace'] : []),
    ...(granting ? ['which decides what may run later'] : []),
  ].join(', ');
}
