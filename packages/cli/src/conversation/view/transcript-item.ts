/** What the transcript receives, in order; printed once and never changed. */
import type { SDKResultMessage } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import type { CostFigure } from '../conversation-state.ts';

export type TranscriptItem =
  | PromptItem
  /** Text of the model as it streams; `textEnd` ends the block. */
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'textEnd' }
  | ThoughtItem
  | ToolItem
  | AgentCallItem
  | NoteItem
  | DetailItem
  | EndItem;

/** What the model thought before it went on. */
export interface ThoughtItem {
  readonly kind: 'thought';
  /** 0: it is not known. */
  readonly ms: number;
  /** '' where the model does not show it. */
  readonly text: string;
}

export interface PromptItem {
  readonly kind: 'prompt';
  readonly text: string;
  readonly images: number;
}

/** A finished call of the main agent. */
export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Time that it took; undefined: it is not known. */
  readonly ms: number | undefined;
  /** `stopped`: by an interrupt, perhaps before it began. */
  readonly outcome: 'done' | 'failed' | 'denied' | 'stopped';
  /** The person has denied it, and the line of their answer says so. Default false. */
  readonly isSaid?: boolean;
  /** What the model reads. */
  readonly text: string;
  /** The structured result; undefined if the tool has none. */
  readonly result: unknown;
  /** The subagent that the call started; `cost` is undefined where nothing was paid, or it is not known. */
  readonly agent: { readonly turns: number; readonly cost: CostFigure | undefined } | undefined;
}

/** A finished call of a subagent, which a run that is printed shows: there is no live region for it. */
export interface AgentCallItem extends Omit<ToolItem, 'kind'> {
  readonly kind: 'agentCall';
  /** What the subagent does; '' if that is not known. */
  readonly task: string;
}

/** What only `--verbose` shows: the start of the session, messages of the engine for the model. */
interface DetailItem {
  readonly kind: 'detail';
  readonly text: string;
}

export interface NoteItem {
  readonly kind: 'note';
  readonly tone: 'quiet' | 'notice' | 'warning' | 'error';
  readonly text: string;
}

/** The end of a submission. */
export interface EndItem {
  readonly kind: 'end';
  readonly result: SDKResultMessage;
  readonly turns: number;
  readonly calls: number;
  readonly ms: number;
  readonly usd: number;
  /** A model without a price was used. */
  readonly isUnpriced: boolean;
}

const NOTE_MARKS = { quiet: '· ', notice: '', warning: '! ', error: '✗ ' } as const;

/** A note in one line, for eyes. */
export function noteText({ tone, text }: Pick<NoteItem, 'tone' | 'text'>): string {
  return `${NOTE_MARKS[tone]}${oneLine(text)}`;
}
