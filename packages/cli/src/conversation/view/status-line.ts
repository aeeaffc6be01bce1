/** The status line (S6.2): known figures are exact, others are marked or missing, and none is guessed. */
import { usdText } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { modeName } from '../../words/mode-name.ts';
import { cost as costText } from '../../words/units.ts';
import {
  type ContextFigure,
  type ConversationState,
  type CostFigure,
  listBackground,
} from '../conversation-state.ts';
import { folderName } from '../screen/attention.ts';
import { STATUS_PARTS, type StatusPart } from '../screen/screen-settings.ts';

type Tone = 'dim' | 'warn' | 'bad';

interface Part {
  readonly text: string;
  readonly tone: Tone;
  /** Parts with higher numbers are dropped first when there is no room. */
  readonly rank: number;
}

/** Never wider than `columns`. `shown`: default all. */
export function statusLine(
  state: ConversationState,
  columns: number,
  theme: Theme,
  shown: readonly StatusPart[] = STATUS_PARTS,
): Row {
  const known = listParts(state);
  let parts = shown.flatMap((name) => known[name] ?? []);
  const width = (shown: readonly Part[]) =>
    shown.reduce((sum, { text }) => sum + cells(text), 0) + 3 * (shown.length - 1);
  while (parts.length > 1 && width(parts) > columns) {
    const last = Math.max(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank !== last);
  }
  return parts.map(({ text, tone }) => theme[tone](cutRow(text, columns))).join(theme.dim(' · '));
}

function listParts(state: ConversationState): Readonly<Record<StatusPart, Part | undefined>> {
  const { session, figures, submission } = state;
  const { context, cost, cache } = figures;
  const background = listBackground(state);
  return {
    model: { text: session.model === '' ? 'model ?' : shortModel(session.model), tone: 'dim', rank: 1 },
    mode: {
      text: modeName(session.mode),
      tone: session.mode === 'bypassPermissions' ? 'warn' : 'dim',
      rank: 2,
    },
    context: { text: contextText(context), tone: contextTone(context), rank: 0 },
    cost: {
      text: cost === undefined ? '$ ?' : `${costText(cost)}${submission === undefined ? '' : endText(cost)}`,
      tone: 'dim',
      rank: 3,
    },
    cache: cache && {
      text:
        cache.brokenBy === undefined
          ? `cache ${share(cache.readTokens, cache.inputTokens)}`
          : `cache ✗ ${oneLine(cache.brokenBy)}`,
      tone: cache.brokenBy === undefined ? 'dim' : 'warn',
      rank: 5,
    },
    turn:
      submission === undefined || submission.turns === 0
        ? undefined
        : { text: `turn ${submission.turns}`, tone: 'dim', rank: 4 },
    background:
      background.length === 0
        ? undefined
        : { text: `${background.length} in the background`, tone: 'dim', rank: 6 },
    place: { text: placeText(session), tone: 'dim', rank: 7 },
  };
}

/** ` → $0.05–0.11`: the range to the end. */
function endText({ endsAt }: CostFigure): string {
  return endsAt === undefined ? '' : ` → $${usdText(endsAt.lowUsd)}–${usdText(endsAt.highUsd)}`;
}

/** `app`, `app on main` */
function placeText({ cwd, branch }: ConversationState['session']): string {
  const folder = oneLine(folderName(cwd));
  return branch === undefined ? folder : `${folder} on ${oneLine(branch)}`;
}

/** Without vendor and date: `sonnet-5`. */
function shortModel(model: string): string {
  return oneLine(model)
    .replace(/^(?:.*\/)?claude-/, '')
    .replace(/-\d{8}$/, '');
}

/** `ctx 31% of 200k`; `~` where a part is estimated, `?` where it is unknown. */
function contextText(context: ContextFigure | undefined): string {
  if (context === undefined) return 'ctx ?';
  const { usedTokens, windowTokens, isEstimated } = context;
  return `ctx ${isEstimated ? '~' : ''}${share(usedTokens, windowTokens)} of ${windowName(windowTokens)}`;
}

const share = (part: number, whole: number): string =>
  whole <= 0 ? '?' : `${Math.round((part / whole) * 100)}%`;

function windowName(tokens: number): string {
  return tokens >= 1_000_000 ? `${+(tokens / 1_000_000).toFixed(1)}M` : `${Math.round(tokens / 1_000)}k`;
}

/** Yellow from the size at which the session is compacted, red where no request is made. */
function contextTone(context: ContextFigure | undefined): Tone {
  if (context === undefined) return 'dim';
  if (context.usedTokens >= context.blocksAt) return 'bad';
  return context.compactsAt !== undefined && context.usedTokens >= context.compactsAt ? 'warn' : 'dim';
}
