/**
 * A server's tools as they were when they were allowed. When a description or input schema changes later, the
 * model keeps the earlier one, and a call requires confirmation (T113): the user agreed to the tool as it was
 * described, and a malicious server changes the description.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { PinStore } from './pin-store.ts';

type Listed = Readonly<Record<string, unknown>>;

export interface ToolChange {
  /** What changed, as part of a sentence. */
  readonly what: string;
  /** The current definition, which a confirmation applies to. */
  readonly definition: string;
}

interface ToolPins {
  /** Loads pins of earlier sessions; called once, before the first list. */
  load(): Promise<void>;
  /** The list with changed tools in their earlier form, and the changes, by name. */
  settle(listed: readonly Listed[]): {
    readonly shown: readonly Listed[];
    readonly held: ReadonlyMap<string, ToolChange>;
  };
  /** The tool was confirmed as it is listed now. */
  accept(name: string): void;
}

/** `store`: absent for servers that a host configures for each session. */
export function createToolPins(store: PinStore | undefined): ToolPins {
  const pinned = new Map<string, Listed>();
  const latest = new Map<string, Listed>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const keep = () => {
    const tools = Object.fromEntries(pinned);
    // What cannot be stored applies to this session at least.
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
          pinned.set(name, pickDefinition(tool));
          isNew = true;
          return tool;
        }
        const now = pickDefinition(tool);
        const changed = listChanges(before, now);
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
      pinned.set(name, pickDefinition(tool));
      keep();
    },
  };
}

/** Fields that the model or the user relies on. */
const FIELDS = ['name', 'description', 'inputSchema', 'annotations', '_meta', 'execution'] as const;

function pickDefinition(tool: Listed): Listed {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]])),
  );
}

function listChanges(before: Listed, now: Listed): readonly string[] {
  const differs = (field: string) => stable(before[field]) !== stable(now[field]);
  return [
    ...(differs('description')
      ? [`description (from ${quote(before['description'])} to ${quote(now['description'])})`]
      : []),
    ...(differs('inputSchema') ? ['input'] : []),
    ...(differs('annotations') ? ['hints'] : []),
  ];
}

/** Independent of the order of keys. */
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
