/** Puts the questions of a session to the person, one at a time and in their order. */
import { setImmediate } from 'node:timers/promises';
import {
  type CanUseTool,
  type CanUseToolContext,
  type ElicitationAnswer,
  leaderOfFamily,
  type Options,
  type PermissionExplanation,
  type PermissionOffer,
  toolFacts,
} from '@turnwright/engine';
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import { markdownRows } from '@turnwright/terminal/markup/markdown-stream.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { alwaysUpdates } from '../../words/answers.ts';
import { callRows, textRows } from '../../words/call-rows.ts';
import { toolLabel } from '../../words/tool-label.ts';
import type { OverlayOf } from '../overlay.ts';
import { openDialog } from './dialog.ts';
import { DEFAULT_KEYS, dialogKeys } from './dialog-keys.ts';
import type { DialogPage } from './dialog-page.ts';
import { elicitationPage } from './elicitation-pages.ts';
import type { Drawing } from './explanation-rows.ts';
import { permissionPage } from './permission-dialog.ts';
import { planPage } from './plan-page.ts';
import { questionPages } from './question-pages.ts';
import type { WordedDecision } from './worded-decision.ts';

/** The conversation, as questions see it. */
interface AskHost {
  readonly theme: Theme;
  /** Draws changes of files, and plans as Markdown. Default: without colours of code, and as text. */
  readonly highlighter?: Highlighter;
  /** The session now: paths inside of its working directory are shown relative to it. */
  readonly state: {
    readonly session: { readonly cwd: string; readonly modeBeforePlan?: string | undefined };
  };
  /** The person's home, shown as `~`. Default: paths in it are shown in full. */
  readonly home?: string | undefined;
  open<T>(overlay: OverlayOf<T>): Promise<T | undefined>;
  /** Commits lines to the transcript. */
  print(lines: readonly Row[]): void;
  /** Stops what runs: Escape at a question. */
  interrupt(): void;
  /** The keys of the settings. Default: Alt+A and Ctrl+O. */
  keysOf?(action: 'showQuestion' | 'transcript'): string;
}

export interface Asker {
  readonly canUseTool: CanUseTool;
  readonly onElicitation: NonNullable<Options['onElicitation']>;
}

type Input = Readonly<Record<string, unknown>>;

/** Of the call, in the line that says what was decided. */
const LABEL_COLUMNS = 48;

export function createAsker(host: AskHost): Asker {
  const line = createLine();
  const keys = host.keysOf === undefined ? DEFAULT_KEYS : dialogKeys(host.keysOf);
  const drawing = (): Drawing => ({
    theme: host.theme,
    cwd: host.state.session.cwd,
    home: host.home,
    keys,
    highlighter: host.highlighter,
  });

  const ask = <T>(
    signal: AbortSignal,
    prepare: (invalidate: () => void) => Promise<Prepared<T>> | Prepared<T>,
  ): Promise<T | undefined> =>
    line.enter(async (place) => {
      // The session takes up the answer before this one first: it may allow this call too.
      await setImmediate();
      if (signal.aborted) return undefined;
      let invalidate = () => {};
      // What the page shows of rules and files is looked up when its turn comes.
      const first = await prepare(() => invalidate());
      if ('settled' in first) return first.settled;
      return host.open<T>((over) => {
        invalidate = over.invalidate;
        return openDialog(over, { first, place, keys, signal });
      });
    });

  return {
    async canUseTool(toolName, input, context) {
      const decision = await ask(context.signal, (invalidate) =>
        pageFor({ toolName, input, context, drawing: drawing(), invalidate, host }),
      );
      if (decision === undefined) return null;
      host.print([decisionRow(decision, formatLabel(toolName, input, host), host.theme)]);
      if (decision.interrupts) host.interrupt();
      return decision.result;
    },
    async onElicitation(request, { signal }) {
      const answered = await ask<ElicitationAnswer>(signal, () => elicitationPage(request, drawing()));
      const { action } = answered ?? { action: 'cancel' as const };
      const words = { accept: 'answered', decline: 'declined', cancel: 'cancelled' }[action];
      host.print([host.theme.dim(`${words}: the question of the server ${oneLine(request.serverName)}`)]);
      return answered ?? { action: 'cancel' };
    },
  };
}

/** The first page, or an answer that needs no person. */
type Prepared<T> = DialogPage<T> | { readonly settled: T };

/** Another answer has allowed it meanwhile, as the gate itself judges. */
const ALLOWED_MEANWHILE: WordedDecision = {
  result: { behavior: 'allow' },
  words: 'allowed by what you answered before',
  interrupts: false,
};

interface Question {
  readonly toolName: string;
  readonly input: Input;
  readonly context: CanUseToolContext;
  readonly drawing: Drawing;
  invalidate(): void;
  readonly host: AskHost;
}

async function pageFor(question: Question): Promise<Prepared<WordedDecision>> {
  const { toolName, input, context, drawing, invalidate, host } = question;
  const { asks } = toolFacts(toolName);
  const questions = asks === 'questions' ? questionPages(input, drawing) : undefined;
  if (questions !== undefined) return questions;
  if (asks === 'plan' && typeof input['plan'] === 'string') {
    const { plan } = input as { readonly plan: string };
    const { highlighter, theme } = host;
    const rows = (columns: number) =>
      highlighter === undefined
        ? textRows(plan, columns)
        : markdownRows(plan, columns, { theme, highlighter });
    return planPage(rows, plan, host.state.session.modeBeforePlan, drawing);
  }
  const explanation = await explainCall(context);
  if (explanation.verdict === 'allow') return { settled: ALLOWED_MEANWHILE };
  const { displayName = toolName, mcpServer } = context;
  return permissionPage({
    title: oneLine(mcpServer === undefined ? displayName : `${displayName} of the server ${mcpServer.name}`),
    summary: toolLabel(toolName, input, drawing.cwd),
    call: await callRows(toolName, input, drawing),
    explanation,
    updates: alwaysUpdates(input, context),
    checkRule: async (rule) =>
      (await context.checkRule?.(rule)) ?? { ok: false, problem: 'Rules cannot be checked in this session.' },
    ownRule: ownRuleFor(toolName, explanation, drawing),
    drawing,
    invalidate,
  });
}

/** Without an explanation what the question itself says. */
async function explainCall(context: CanUseToolContext): Promise<PermissionExplanation> {
  try {
    const explanation = await context.explain?.();
    if (explanation !== undefined) return explanation;
  } catch {
    // What the question says is enough to decide by.
  }
  const { agentID, decisionReason = 'A call needs approval.', decisionReasonType = 'other' } = context;
  return {
    asker: agentID === undefined ? [] : [{ agentId: agentID, agentType: agentID, description: '' }],
    mode: 'default',
    verdict: 'ask',
    reason: { type: decisionReasonType, text: decisionReason },
    segments: [],
    writes: [],
    readsOutside: [],
    missed: [],
    offers: (context.suggestions ?? []).map((update): PermissionOffer => ({ update })),
    scopes: [{ destination: 'session' }],
  };
}

/** A rule that allows exactly this call, for the person to change. */
function ownRuleFor(
  toolName: string,
  { segments, writes, readsOutside }: PermissionExplanation,
  { cwd }: Drawing,
): string {
  const open = segments.find(({ verdict }) => verdict === 'open');
  if (open !== undefined) return `${toolName}(${open.text})`;
  const path = (writes[0] ?? readsOutside[0])?.path;
  if (path === undefined) return toolName;
  const family = leaderOfFamily(writes.length > 0 ? 'write' : 'read');
  return path.startsWith(`${cwd}/`) ? `${family}(${path.slice(cwd.length)})` : `${family}(/${path})`;
}

function formatLabel(toolName: string, input: Input, { state }: AskHost): string {
  const { asks } = toolFacts(toolName);
  // Such a question says nothing beside its answer.
  return asks === 'questions' || asks === 'plan' ? '' : toolLabel(toolName, input, state.session.cwd);
}

function decisionRow({ result, words }: WordedDecision, label: string, theme: Theme): Row {
  const mark = result.behavior === 'allow' ? theme.good('✓') : theme.bad('✗');
  return `${mark} ${oneLine(words)}${label === '' ? '' : `: ${cutRow(label, LABEL_COLUMNS)}`}`;
}

interface Place {
  readonly number: number;
  readonly of: number;
}

/** Questions wait for those before them; the count begins anew when all are answered. */
function createLine() {
  let last: Promise<unknown> = Promise.resolve();
  let entered = 0;
  let left = 0;
  return {
    enter<T>(ask: (place: () => Place) => Promise<T>): Promise<T> {
      if (entered === left) {
        entered = 0;
        left = 0;
      }
      entered += 1;
      const mine = last.then(() => ask(() => ({ number: left + 1, of: entered })));
      const leave = () => {
        left += 1;
      };
      last = mine.then(leave, leave);
      return mine;
    },
  };
}
