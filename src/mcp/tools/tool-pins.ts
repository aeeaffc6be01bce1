/**
 * A server's tools as they were when they were allowed. One that is described otherwise later, or takes other input,
 * stays as it was for the model, and a call of it asks a person again (T113): what was agreed to was the tool as it
 * was described, and a description is what a poisoned server changes.
 */

import { isRecord } from '../servers/server-config.ts';
import { cleanText } from './clean-text.ts';

type Listed = Readonly<Record<string, unknown>>;

/** The tools of one server that were seen before, by name, as the server listed them. */
export type PinnedTools = Readonly<Record<string, Listed>>;

/** Where pins outlive the session. */
export interface PinStore {
  /** What cannot be read counts as nothing. */
  read(): Promise<PinnedTools | undefined>;
  write(tools: PinnedTools): Promise<void>;
}

export interface ToolChange {
  /** Part of a sentence. */
  readonly what: string;
  /** What the tool is now: whoever agrees, agrees to this. */
  readonly definition: string;
}

export interface ToolPins {
  /** What earlier sessions agreed to; once, before the first list. */
  load(): Promise<void>;
  /** The list with changed tools in their earlier form, and those that changed, by name. */
  settle(listed: readonly Listed[]): {
    readonly shown: readonly Listed[];
    readonly held: ReadonlyMap<string, ToolChange>;
  };
  /** The tool is agreed to as it is listed now. */
  accept(name: string): void;
}

/** `store`: absent for servers whose host names them anew for every session. */
export function createToolPins(store: PinStore | undefined): ToolPins {
  const pinned = new Map<string, Listed>();
  const latest = new Map<string, Listed>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const keep = () => {
    const tools = Object.fromEntries(pinned);
    // What cannot be kept holds for this session at least.
    writing = writing.then(() => store?.write(tools)).catch(() => undefined);
  };
  return {
    load() {
      loading ??= (async () => {
        for (const [name, tool] of Object.entries((await store?.read()) ?? {})) pinned.set(name, tool);
      })();
      return loading;
    },
    settle(listed) {
      const held = new Map<string, ToolChange>();
      let isNew = false;
      const shown = listed.map((tool) => {
        const { name } = tool;
        if (typeof name !== 'string') return tool;
        latest.set(name, tool);
        const before = pinned.get(name);
        if (before === undefined) {
          pinned.set(name, definitionOf(tool));
          isNew = true;
          return tool;
        }
        const now = definitionOf(tool);
        const changed = changesOf(before, now);
        if (changed.length === 0) return tool;
        const what = `its ${changed.join(' and its ')} changed since it was allowed`;
        held.set(name, { what, definition: stable(now) });
        return before;
      });
      if (isNew) keep();
      return { shown, held };
    },
    accept(name) {
      const tool = latest.get(name);
      if (tool === undefined) return;
      pinned.set(name, definitionOf(tool));
      keep();
    },
  };
}

/** What a model or a person goes by. */
const FIELDS = ['name', 'description', 'inputSchema', 'annotations', '_meta', 'execution'] as const;

function definitionOf(tool: Listed): Listed {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]])),
  );
}

function changesOf(before: Listed, now: Listed): readonly string[] {
  const differs = (field: string) => stable(before[field]) !== stable(now[field]);
  return [
    ...(differs('description')
      ? [`description (from ${quote(before['description'])} to ${quote(now['description'])})`]
      : []),
    ...(differs('inputSchema') ? ['input'] : []),
    ...(differs('annotations') ? ['hints'] : []),
  ];
}

/** The order of keys means nothing. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
    ) ?? ''
  );
}

function quote(text: unknown): string {
  return JSON.stringify(cleanText(typeof text === 'string' ? text : '', 300));
}
