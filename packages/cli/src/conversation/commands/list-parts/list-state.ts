/** What a list shows, and what its keys do to it. Pure. */
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { createLineField, edited, type LineField } from './line-field.ts';

export interface ListItem<T> {
  readonly value: T;
  readonly label: string;
  /** A second column, which is also searched. */
  readonly detail?: string | undefined;
  /** Lines below the list while the item is chosen. */
  readonly about?: readonly string[] | undefined;
  /** What is in use now; it gets a mark, and is chosen first. */
  readonly isCurrent?: boolean | undefined;
}

/** A second choice of a list, which ← and → change. */
export interface ListDial {
  readonly label: string;
  readonly values: readonly string[];
  readonly at: number;
  /** Called before the list closes with an item. */
  taken(value: string): void;
}

/** What a list shows. */
export interface ListOf<T> {
  readonly title: string;
  readonly items: readonly ListItem<T>[];
  /** Sentence in place of an empty list. */
  readonly empty: string;
  /** What Enter does, in a word or two: `resumes it`. */
  readonly enter: string;
  /** Text to search for at the beginning. */
  readonly search?: string | undefined;
  readonly dial?: ListDial | undefined;
  /** Index of the item that is chosen first. Default: the one in use. */
  readonly at?: number | undefined;
  /** Finds items by what their row does not show: each with the line that holds the text. */
  readonly find?:
    | ((search: string, signal: AbortSignal) => AsyncIterable<{ readonly value: T; readonly line: string }>)
    | undefined;
  /** Items that take a while: they replace `items` when they arrive. A rejection is shown as a sentence. */
  readonly later?: { readonly what: string; readonly items: Promise<readonly ListItem<T>[]> } | undefined;
}

export interface ListState<T> {
  readonly list: ListOf<T>;
  readonly items: readonly ListItem<T>[];
  readonly search: LineField;
  /** Index in the items that match. */
  readonly chosen: number;
  /** Index in the values of the dial. */
  readonly dialled: number;
  /** What `find` has found for this search, by value. */
  readonly found?: ReadonlyMap<T, string> | undefined;
  /** About `later`: what is waited for, or why it failed. */
  readonly note: string | undefined;
}

export function openedList<T>(list: ListOf<T>): ListState<T> {
  const { items, later, dial, search = '' } = list;
  const field = createLineField(search);
  const opened = { list, items, search: field, chosen: 0, dialled: dial?.at ?? 0, note: later?.what };
  return { ...opened, chosen: list.at ?? findCurrentIndex(listMatches(opened)) };
}

/** Items that contain every word of the search, in their order. */
export function listMatches<T>({ items, search, found }: ListState<T>): readonly ListItem<T>[] {
  const words = search.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  const matching = ({ label, detail = '' }: ListItem<T>) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return items
    .filter((item) => matching(item) || found?.has(item.value) === true)
    .map((item) => {
      const line = found?.get(item.value);
      return line === undefined ? item : { ...item, about: [line, ...(item.about ?? [])] };
    });
}

/** With other items; the chosen one stays chosen if it is among them. */
export function replaced<T>(state: ListState<T>, items: readonly ListItem<T>[]): ListState<T> {
  const next = { ...state, items, note: undefined };
  const label = listMatches(state)[state.chosen]?.label;
  const at = listMatches(next).findIndex((item) => item.label === label);
  return { ...next, chosen: at >= 0 ? at : findCurrentIndex(listMatches(next)) };
}

/** The state after a key; undefined: the key means nothing here. */
export function pressed<T>(state: ListState<T>, event: InputEvent, page: number): ListState<T> | undefined {
  const last = Math.max(0, listMatches(state).length - 1);
  if (event.kind === 'key') {
    const step = toStep(event, page);
    const turn = state.list.dial && TURNS[`${event.ctrl || event.alt ? 'with ' : ''}${event.name}`];
    if (turn !== undefined) return { ...state, dialled: turned(state, turn) };
    if (step !== undefined) return { ...state, chosen: Math.min(last, Math.max(0, state.chosen + step)) };
  }
  const search = edited(state.search, event);
  if (search === undefined) return undefined;
  if (search.text === state.search.text) return { ...state, search };
  return { ...state, search, chosen: 0, found: undefined };
}

const TURNS: Readonly<Record<string, 1 | -1>> = { left: -1, right: 1 };

function turned({ list, dialled }: ListState<unknown>, by: 1 | -1): number {
  const last = (list.dial?.values.length ?? 1) - 1;
  return Math.min(last, Math.max(0, dialled + by));
}

function toStep({ name, ctrl, alt }: InputEvent & { kind: 'key' }, page: number): number | undefined {
  if (alt) return undefined;
  if (ctrl) return name === 'n' ? 1 : name === 'p' ? -1 : undefined;
  return {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  }[name];
}

function findCurrentIndex(items: readonly ListItem<unknown>[]): number {
  return Math.max(
    0,
    items.findIndex(({ isCurrent }) => isCurrent === true),
  );
}
