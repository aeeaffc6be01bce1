/** Drives the real loop with a script and hands back what a test wants to look at. */

import { Door } from '@turnwright/base/async/door.ts';
import {
  loopDeps,
  loopParams,
  recorder,
  runLoop,
  type ScriptedTools,
  type ScriptStep,
  scriptedModel,
  scriptedTools,
  type ToolHandler,
} from '@turnwright/testing';
import type { LoopEnd } from '../../src/loop/decision.ts';
import type { LoopDeps, LoopParams } from '../../src/loop/deps.ts';
import { runQueryLoop as emitLoop, queryLoop } from '../../src/loop/query-loop.ts';
import type { AssistantMessage, LoopMessage } from '../../src/protocol/model/messages.ts';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import type { Terminal } from '../../src/protocol/session/terminal.ts';

/** The loop's messages one by one, as a consumer of the public iterators gets them. */
export const messageByMessage = (
  params: LoopParams,
  deps: LoopDeps,
): AsyncGenerator<LoopMessage, LoopEnd, void> =>
  new Door((output) => emitLoop(params, deps, output), { abort: () => params.scope.abort('returned') });

export interface Setup {
  readonly steps: readonly ScriptStep[];
  readonly tools?: Record<string, ToolHandler | string>;
  readonly params?: Partial<LoopParams> & { readonly prompt?: string };
  readonly deps?: Partial<LoopDeps>;
  readonly onMessage?: (message: LoopMessage, params: LoopParams) => void | Promise<void>;
  /** Leave steps unused (runs that are cut short). */
  readonly partial?: boolean;
}

export async function run(setup: Setup) {
  const model = scriptedModel(setup.steps);
  const tools: ScriptedTools = scriptedTools(setup.tools ?? {});
  const journal = recorder();
  const deps = loopDeps({ callModel: model.callModel, tools, recorder: journal, ...setup.deps });
  const params = loopParams(setup.params);
  const { messages, terminal } = await runLoop(queryLoop, params, deps, (message) =>
    setup.onMessage?.(message, params),
  );
  if (!setup.partial) model.assertComplete();
  const { bodies } = journal;
  const decisions = bodies.flatMap((body) => (body.type === 'decision' ? [body.record] : []));
  return { messages, terminal, requests: model.requests, bodies, decisions, tools, deps, params };
}

export const transitionsOf = (decisions: readonly DecisionRecord[]): string[] =>
  decisions.flatMap((record) => (record.decision?.kind === 'continue' ? [record.decision.transition] : []));

/** One short word per message, for order assertions. */
export const outline = (messages: readonly LoopMessage[]): string[] =>
  messages.flatMap((message) => {
    switch (message.type) {
      case 'assistant':
        return [
          message.synthetic
            ? `error:${message.synthetic.error}`
            : (message.message.content[0]?.type ?? 'none'),
        ];
      case 'user':
        return [message.kind ?? 'user'];
      case 'attachment':
        return [`attachment:${message.attachment.type}`];
      case 'system':
        return [`system:${message.subtype}`];
      case 'tombstone':
        return [`tombstone:${message.uuids.length}`];
      case 'stream_events':
      case 'stream_request_start':
        return [];
      default:
        return [message.type];
    }
  });

export const texts = (messages: readonly LoopMessage[]): string[] =>
  messages.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );

export const terminalOf = (terminal: Terminal): string => terminal.reason;

export const assistants = (messages: readonly LoopMessage[]): AssistantMessage[] =>
  messages.filter((message): message is AssistantMessage => message.type === 'assistant');
