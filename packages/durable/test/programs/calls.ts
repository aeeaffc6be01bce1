/**
 * A worker whose sessions make the calls that their prompts list, one in each round: JSON, `[{ "name", "input" }]`. The
 * last answer holds the results. `SCENARIO`: the options of the worker, its workspace, and how long its model waits before
 * a call that is not the first.
 */
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '@turnwright/engine';
import { callTool, pause, reply, say } from '@turnwright/testing';
import type { WorkerOptions } from '../../src/index.ts';
import { callsIn, note, scriptedWorker } from './scripted.ts';

interface Given {
  readonly options?: Partial<Options>;
  readonly workspace?: { readonly shared: string } | { readonly made: string };
  readonly waitMs?: number;
}

interface Message {
  readonly type: string;
  readonly kind?: string;
  readonly message?: { readonly content: unknown };
}

const { options = {}, workspace, waitMs = 0 } = JSON.parse(process.env['SCENARIO'] ?? '') as Given;

function workspaceOf(): WorkerOptions['workspace'] {
  if (workspace === undefined || 'shared' in workspace) return workspace;
  return ({ sessionId }) => {
    const folder = `${workspace.made}/of-${sessionId}`;
    mkdirSync(folder, { recursive: true });
    note(sessionId, 'made', folder);
    return folder;
  };
}

await scriptedWorker(
  (request) => {
    const messages = request.view.slice() as readonly Message[];
    const calls = messages.flatMap(({ type, kind, message }) =>
      type === 'user' && kind === 'prompt'
        ? (JSON.parse(String(message?.content)) as { readonly name: string; readonly input: object }[])
        : [],
    );
    const next = callsIn(request).called.length;
    note(request.sessionId, 'asked', next);
    const call = calls[next];
    if (call === undefined)
      return say(
        messages
          .flatMap(({ kind, message }) => (kind === 'tool_result' ? JSON.stringify(message) : []))
          .join('\n'),
      );
    const made = callTool(call.name, { ...call.input }, { id: `${request.sessionId}.${next}` });
    return next > 0 && waitMs > 0 ? reply([pause(sleep(waitMs)), made]) : made;
  },
  { workspace: workspaceOf() },
  options,
);
