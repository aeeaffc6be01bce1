/** Journals as a run of the loop leaves them, made without the loop. */

import type {
  AssistantMessage,
  AttachmentMessage,
  UserMessage,
  ViewMessage,
} from '@turnwright/engine/protocol/model/messages.ts';
import { type AssistantBlock, EMPTY_USAGE } from '@turnwright/engine/protocol/model/wire.ts';
import type { DecisionRecord } from '@turnwright/engine/protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { EffectClass } from '@turnwright/engine/protocol/tools/tool.ts';
import fc from 'fast-check';
import {
  decodeLine,
  encodeRecord,
  sessionPrefix,
} from '../../packages/engine/src/session/journal/envelope.ts';

export const CWD = '/home/me/project';
export const SESSION = '11111111-2222-4333-8444-555555555555';
const NOW = Date.UTC(2026, 10, 1);
const STAMP = new Date(NOW).toISOString();

export const fixedClock = { nowMs: () => NOW };

export function user(uuid: string, text: string, more: Partial<UserMessage> = {}): UserMessage {
  return { type: 'user', uuid, timestamp: STAMP, message: { role: 'user', content: text }, ...more };
}

export function toolResult(
  uuid: string,
  id: string,
  text = 'ok',
  more: Partial<UserMessage> = {},
): UserMessage {
  const content = [{ type: 'tool_result' as const, tool_use_id: id, content: text }];
  return {
    type: 'user',
    uuid,
    timestamp: STAMP,
    kind: 'tool_result',
    message: { role: 'user', content },
    ...more,
  };
}

export function assistant(uuid: string, messageId: string, block: AssistantBlock): AssistantMessage {
  return {
    type: 'assistant',
    uuid,
    timestamp: STAMP,
    message: {
      id: messageId,
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
    },
  };
}

export const toolUse = (id: string, name = 'Bash', input: Record<string, unknown> = {}): AssistantBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export function attachment(uuid: string): AttachmentMessage {
  return {
    type: 'attachment',
    uuid,
    timestamp: STAMP,
    attachment: { type: 'note' },
    rendered: [{ type: 'text', text: 'n' }],
  };
}

export function decisionRecord(
  submission: string,
  iteration: number,
  turnCount: number,
  decision: DecisionRecord['decision'],
): DecisionRecord {
  return {
    v: 1,
    sessionId: SESSION,
    submission,
    iteration,
    agentPath: '',
    startedAt: STAMP,
    startMs: 0,
    endMs: 10,
    prepare: [],
    view: { length: 1, tokens: 10, source: 'estimate', added: [] },
    attempts: [],
    tools: [],
    rules: [],
    ...(decision === undefined ? {} : { decision }),
    budgets: { turnCount, costUsd: 0 },
  };
}

/** As they read back from a file, sequence numbers from 1. */
export function asEntries(bodies: readonly JournalBody[], epoch = 1): JournalEntry[] {
  return linesOf(bodies, epoch).map((line) => {
    const decoded = decodeLine(Buffer.from(line));
    if (decoded.kind !== 'ok') throw new Error(`a sample line does not decode: ${decoded.kind}`);
    return decoded.entry;
  });
}

export function linesOf(bodies: readonly JournalBody[], epoch = 1): string[] {
  const prefix = sessionPrefix({ sessionId: SESSION, cwd: CWD, version: '1' });
  return bodies.map((body, index) => encodeRecord(body, { seq: index + 1, epoch }, prefix, NOW));
}

export interface CallScript {
  readonly effectClass: EffectClass;
  /** Its result lands before the response's next block does. */
  readonly early: boolean;
  /** Refused by the gate: no intent. */
  readonly refused: boolean;
}

export interface IterationScript {
  readonly text: boolean;
  readonly thinking: boolean;
  readonly calls: readonly CallScript[];
  readonly attachments: number;
  /** Order in which the late results end: a rotation of the calls. */
  readonly rotate: number;
  /** A first attempt was emitted and retracted. */
  readonly superseded: boolean;
  readonly broken: boolean;
  readonly edit: 'none' | 'replacement' | 'boundary';
}

export type SessionScript = readonly (readonly IterationScript[])[];

const call: fc.Arbitrary<CallScript> = fc.record({
  effectClass: fc.constantFrom<EffectClass>('pure', 'idempotent', 'unsafe'),
  early: fc.boolean(),
  refused: fc.boolean(),
});

const iteration: fc.Arbitrary<IterationScript> = fc.record({
  text: fc.boolean(),
  thinking: fc.boolean(),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  attachments: fc.nat({ max: 2 }),
  rotate: fc.nat({ max: 2 }),
  superseded: fc.boolean(),
  broken: fc.boolean(),
  edit: fc.constantFrom('none', 'none', 'replacement', 'boundary'),
});

export const sessionScript: fc.Arbitrary<SessionScript> = fc.array(
  fc.array(iteration, { minLength: 0, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
);

/** The records of a session whose submissions each end in a text answer, and the view the live loop would have. */
export function playSession(script: SessionScript): {
  readonly bodies: JournalBody[];
  readonly view: ViewMessage[];
} {
  const bodies: JournalBody[] = [];
  let view: ViewMessage[] = [];
  let count = 0;
  const next = (kind: string) => `${kind}-${++count}`;

  for (const [s, iterations] of script.entries()) {
    const submission = `s${s + 1}`;
    bodies.push({
      type: 'submission',
      id: submission,
      submission,
      model: 'claude-test',
      permissionMode: 'default',
    });
    const prompt = user(next('prompt'), `prompt ${s + 1}`, { kind: 'prompt' });
    bodies.push({ ...prompt, submission });
    view.push(prompt);
    const all: (IterationScript | undefined)[] = [...iterations, undefined];
    for (const [k, play] of all.entries()) {
      const n = k + 1;
      let attempt = 1;
      const id = (kind: string) => `${submission}/${n}/${attempt}/${kind}`;
      const record = (body: JournalBody) => bodies.push(body);
      const edits = editsOf(play, view, next);
      if (edits !== undefined) {
        record({
          type: play?.edit === 'boundary' ? 'boundary' : 'replacement',
          id: id('edit'),
          submission,
          edits: edits.edits,
          why: 'test',
        });
        view = edits.view;
      }
      const request = () =>
        record({
          type: 'request',
          id: id('request'),
          submission,
          iteration: n,
          attempt,
          model: 'claude-test',
          maxTokens: 8000,
          querySource: 'main',
        });
      request();
      if (play?.superseded === true) {
        const half = assistant(next('half'), next('msg'), { type: 'text', text: 'half' });
        record({ ...half, submission, iteration: n });
        record({ type: 'retract', id: id('retract'), submission, uuids: [half.uuid], reason: 'superseded' });
        attempt = 2;
        request();
      }
      const messageId = next('msg');
      const blocks: AssistantMessage[] = [];
      const results: UserMessage[] = [];
      const say = (block: AssistantBlock) => {
        const message = assistant(next('block'), messageId, block);
        record({ ...message, submission, iteration: n });
        blocks.push(message);
        return message;
      };
      if (play?.thinking === true) say({ type: 'thinking', thinking: 'hm', signature: 'sig' });
      if (play === undefined || play.text) say({ type: 'text', text: `answer ${n}` });
      const late: (() => void)[] = [];
      for (const each of play?.calls ?? []) {
        const toolUseId = next('toolu');
        const message = say(toolUse(toolUseId));
        const run = () => {
          if (!each.refused) {
            record({
              type: 'intent',
              id: id(`intent/${toolUseId}`),
              submission,
              toolUseId,
              toolName: 'Bash',
              effectClass: each.effectClass,
            });
          }
          const result = toolResult(next('result'), toolUseId, 'done', { sourceAssistantUuid: message.uuid });
          record({ ...result, submission });
          results.push(result);
        };
        if (each.early) run();
        else late.push(run);
      }
      record({
        type: 'response',
        id: id('response'),
        submission,
        iteration: n,
        messageId,
        stopReason: play === undefined ? 'end_turn' : 'tool_use',
        usage: { ...EMPTY_USAGE, input_tokens: 10, output_tokens: 5 },
        costUsd: 0.01,
        ...(play?.broken === true ? { broken: true } : {}),
      });
      const from = late.length === 0 ? 0 : (play?.rotate ?? 0) % late.length;
      for (const run of [...late.slice(from), ...late.slice(0, from)]) run();
      const notes = Array.from({ length: play?.attachments ?? 0 }, () => attachment(next('note')));
      for (const note of notes) record({ ...note, submission });
      const order = (message: UserMessage) =>
        blocks.findIndex((block) => block.uuid === message.sourceAssistantUuid);
      view.push(...blocks, ...results.sort((a, b) => order(a) - order(b)), ...notes);
      record({
        type: 'decision',
        id: id('decision'),
        submission,
        record: decisionRecord(
          submission,
          n,
          n,
          play === undefined
            ? { kind: 'stop', terminal: 'completed', sentence: 'Stopped: completed.' }
            : { kind: 'continue', transition: 'next_turn', sentence: 'Went on: next_turn.' },
        ),
      });
    }
    bodies.push({ type: 'cost', id: `${submission}/cost`, submission, totalCostUsd: s + 1, modelUsage: {} });
    bodies.push({
      type: 'result',
      id: `${submission}/result`,
      submission,
      result: { subtype: 'success', terminal_reason: 'completed' },
    });
  }
  return { bodies, view };
}

const thinks = ({ type }: AssistantBlock) => type === 'thinking';

/** A context step as it edits the view at the head of an iteration. */
function editsOf(
  play: IterationScript | undefined,
  view: readonly ViewMessage[],
  next: (kind: string) => string,
) {
  if (play === undefined || play.edit === 'none') return undefined;
  if (play.edit === 'boundary') {
    const summary = user(next('summary'), 'what was', { kind: 'summary', isSynthetic: true });
    return { edits: [{ kind: 'reset' as const, head: [summary], keep: [], tail: [] }], view: [summary] };
  }
  const old = view.find((message) => message.type === 'user' && message.kind === 'tool_result');
  if (old?.type !== 'user' || typeof old.message.content === 'string') return undefined;
  const [block] = old.message.content;
  if (block?.type !== 'tool_result') return undefined;
  const item: UserMessage = {
    ...old,
    message: { role: 'user', content: [{ ...block, content: 'preview' }] },
  };
  return {
    edits: [{ kind: 'replace' as const, uuid: old.uuid, item }],
    view: view.map((message, at) => {
      if (message.uuid === old.uuid) return item;
      // What was thought behind a result that has changed is void.
      const isVoid =
        at > view.indexOf(old) && message.type === 'assistant' && message.message.content.some(thinks);
      return isVoid ? { ...message, prefixChanged: true as const } : message;
    }),
  };
}
