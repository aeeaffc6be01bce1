/** Journals of sessions with known figures, written without a run: for pages, and for properties over many of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CacheBreak } from '@turnwright/engine';
import type { AttemptRecord } from '@turnwright/engine/protocol/model/model.ts';
import type { Usage } from '@turnwright/engine/protocol/model/wire.ts';
import type { DecisionRecord } from '@turnwright/engine/protocol/session/decision-record.ts';
import type { JournalBody } from '@turnwright/engine/protocol/session/journal.ts';
import type { SpendingRow } from '@turnwright/engine/protocol/session/spending.ts';
import type { TransitionReason } from '@turnwright/engine/protocol/session/transition.ts';
import type { ToolTrace } from '@turnwright/engine/protocol/tools/tool-call.ts';
import { encodeRecord, sessionPrefix } from '../../packages/engine/src/session/journal/envelope.ts';
import { sessionsDirectory } from '../../packages/engine/src/session/paths.ts';
import { assistant, toolResult, toolUse, user } from '../session/sample-journal.ts';

export const MODEL = 'claude-opus-5-5';
const START = Date.UTC(2026, 10, 30, 9, 0, 0);

/** One iteration: what differs from a plain one, which reads a file and goes on. */
export interface MadeIteration {
  readonly calls?: readonly MadeCall[];
  readonly text?: string;
  readonly usage?: Partial<Usage>;
  readonly costUsd?: number;
  readonly attempts?: readonly Partial<AttemptRecord>[];
  readonly transition?: TransitionReason;
  readonly decision?: DecisionRecord['decision'];
  readonly rules?: DecisionRecord['rules'];
  readonly prepare?: DecisionRecord['prepare'];
  readonly cacheBreak?: CacheBreak;
  readonly fallback?: DecisionRecord['fallback'];
  readonly wastedCostUsd?: number;
  readonly maxTurns?: number;
  /** ms of the model's answer. */
  readonly ms?: number;
  /** ms before it begins. */
  readonly idleMs?: number;
  /** The process ended before it was decided. */
  readonly isCut?: true;
  readonly used?: number;
  /** Edits of the view that are recorded before its request. */
  readonly before?: readonly JournalBody[];
}

export interface MadeCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: string;
  readonly outcome?: ToolTrace['outcome'];
  readonly ms?: number;
  readonly askedMs?: number;
  readonly permission?: ToolTrace['permission'];
}

export interface MadeSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly prompt?: string;
  readonly iterations: readonly MadeIteration[];
  /** `false`: it is not over. */
  readonly result?: false;
  readonly agentType?: string;
  readonly submissions?: number;
  /** Rows of agents, that the totals hold too. */
  readonly more?: readonly SpendingRow[];
  /** ms since 1970. */
  readonly startMs?: number;
}

interface Stamped {
  readonly body: JournalBody;
  readonly at: number;
}

/** Its records, and when each was written. */
export function makeRecords(session: MadeSession): readonly Stamped[] {
  const {
    sessionId,
    prompt = 'Fix the failing test.',
    iterations,
    agentType,
    more = [],
    startMs = START,
  } = session;
  const submission = `${sessionId.slice(0, 8)}-s1`;
  const records: Stamped[] = [];
  let at = startMs;
  const write = (...bodies: readonly JournalBody[]) => records.push(...bodies.map((body) => ({ body, at })));
  const stamp = () => new Date(at).toISOString();
  write(
    { type: 'submission', id: submission, submission, model: MODEL, permissionMode: 'default' },
    { ...user(`${submission}-p`, prompt, { kind: 'prompt', timestamp: stamp() }), submission },
    {
      type: 'context-snapshot',
      id: `${submission}/snapshot`,
      submission,
      system: ['You are an agent that works on code.'],
      userContext: ['Today is Monday.'],
      toolNames: ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Task', 'Write'],
      hash: 'h1',
    },
  );
  let sum: SpendingRow = emptyRow(agentType ?? 'main');
  let wasted: SpendingRow = { ...emptyRow(agentType ?? 'main'), purpose: 'retry_waste' };
  let transition: TransitionReason | undefined;
  for (const [index, made] of iterations.entries()) {
    at += made.idleMs ?? 40;
    const n = index + 1;
    write(...(made.before ?? []));
    const id = `${submission}/${n}`;
    const querySource = agentType === undefined ? 'main' : (`agent:${agentType}` as const);
    write({
      type: 'request',
      id: `${id}/1/request`,
      submission,
      iteration: n,
      attempt: 1,
      model: MODEL,
      maxTokens: 32_000,
      querySource,
    });
    if (made.isCut) break;
    const begin = at;
    const { usage, costUsd, calls = readCalls(n), text } = filled(made, n);
    const attempts = (made.attempts ?? [{}]).map((attempt, nth, all): AttemptRecord => {
      at += attempt.waitedMs ?? 0;
      const startMs = at - startMs0;
      at += nth === all.length - 1 ? (made.ms ?? 2400) : 300;
      const isLast = nth === all.length - 1;
      return {
        startMs,
        ...(isLast && { firstContentMs: startMs + (made.ms ?? 2400) * 0.3 }),
        endMs: at - startMs0,
        model: MODEL,
        stream: true,
        bytes: 1000,
        outcome: 'complete',
        ...attempt,
      };
    });
    const messageId = `msg_${submission}_${n}`;
    const blocks = [
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ name, input }, nth) => toolUse(`toolu_${submission}_${n}_${nth}`, name, { ...input })),
    ];
    for (const [nth, block] of blocks.entries())
      write({
        ...assistant(`${id}-a${nth}`, messageId, block as never),
        timestamp: stamp(),
        submission,
        iteration: n,
      });
    write({
      type: 'response',
      id: `${id}/1/response`,
      submission,
      iteration: n,
      messageId,
      model: MODEL,
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
      usage,
      costUsd,
    });
    const callsAt = at;
    let over = at;
    const tools = calls.map((call, nth): ToolTrace => {
      const toolId = `toolu_${submission}_${n}_${nth}`;
      const queued = callsAt + nth * 3;
      const started = queued + (call.askedMs ?? 1);
      const ended = started + (call.ms ?? 120);
      over = Math.max(over, ended);
      const { outcome = 'ok', output = 'ok', permission } = call;
      return {
        id: toolId,
        name: call.name,
        queuedMs: queued - startMs0,
        ...(outcome !== 'denied' && outcome !== 'invalid' && { startedMs: started - startMs0 }),
        endedMs: ended - startMs0,
        outcome,
        inputChars: JSON.stringify(call.input).length,
        resultChars: output.length,
        concurrent: calls.length > 1,
        permission: {
          verdict: outcome === 'denied' ? 'deny' : 'allow',
          source: 'mode',
          ...(call.askedMs !== undefined && { askedMs: call.askedMs, source: 'host' as const }),
          ...permission,
        },
      };
    });
    at = over;
    for (const [nth, call] of calls.entries()) {
      const result = toolResult(`${id}-r${nth}`, `toolu_${submission}_${n}_${nth}`, call.output ?? 'ok', {
        timestamp: stamp(),
      });
      const isError = call.outcome !== undefined && call.outcome !== 'ok';
      const content = (result.message.content as readonly object[]).map((block) =>
        isError ? { ...block, is_error: true } : block,
      );
      write({ ...result, message: { ...result.message, content: content as never }, submission });
    }
    at += 5;
    const isLast = n === iterations.length && session.result !== false;
    const decision: DecisionRecord['decision'] =
      made.decision ??
      (isLast
        ? {
            kind: 'stop',
            terminal: 'completed',
            sentence: `Stopped: completed (no rule objected), turn ${n}.`,
          }
        : {
            kind: 'continue',
            transition: made.transition ?? 'next_turn',
            sentence: `Went on: ${made.transition ?? 'next_turn'} (no rule objected).`,
          });
    sum = addTo(sum, usage, costUsd - (made.wastedCostUsd ?? 0));
    if (made.wastedCostUsd !== undefined)
      wasted = { ...wasted, calls: wasted.calls + 1, costUSD: round(wasted.costUSD + made.wastedCostUsd) };
    const record: DecisionRecord = {
      v: 1,
      sessionId,
      submission,
      iteration: n,
      agentPath: agentType === undefined ? '' : sessionId,
      startedAt: new Date(begin).toISOString(),
      startMs: begin - startMs0,
      endMs: at - startMs0,
      prepare: made.prepare ?? [],
      view: {
        length: 1 + index * 2,
        tokens: usage.input_tokens + usage.cache_read_input_tokens,
        source: 'provider',
        added: [`${id}-a0`],
      },
      request: { model: MODEL, maxTokens: 32_000 },
      attempts,
      ...(made.fallback !== undefined && { fallback: made.fallback }),
      response: {
        messageId,
        stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
        blocks: blocks.map(({ type }) => type),
      },
      usage,
      costUsd,
      ...(made.wastedCostUsd !== undefined && { wastedCostUsd: made.wastedCostUsd }),
      cache: {
        readTokens: usage.cache_read_input_tokens,
        writtenTokens: usage.cache_creation_input_tokens,
        ...(made.cacheBreak !== undefined && { break: made.cacheBreak }),
      },
      tools,
      rules: made.rules ?? RULES,
      ...(decision !== undefined && { decision }),
      context: {
        window: 200_000,
        used: made.used ?? Math.min(155_000, 9000 + n * 1800),
        overhead: 8000,
        autocompactAt: 160_000,
        blockingAt: 180_000,
      },
      budgets: {
        turnCount: n,
        costUsd: sum.costUSD,
        ...(made.maxTurns !== undefined && { maxTurns: made.maxTurns }),
      },
      ...(transition !== undefined && { in: transition }),
    };
    write({ type: 'decision', id: `${id}/decision`, submission, record });
    transition = decision?.kind === 'continue' ? decision.transition : undefined;
  }
  const spending = [sum, wasted, ...more].filter(({ calls }) => calls > 0);
  const totalCostUsd = round(spending.reduce((total, { costUSD }) => total + costUSD, 0));
  write({ type: 'cost', id: `${submission}/cost`, submission, totalCostUsd, modelUsage: {}, spending });
  if (session.result !== false) {
    const last = records.findLast(({ body }) => body.type === 'decision')?.body;
    const decision = last?.type === 'decision' ? last.record.decision : undefined;
    const reason = decision?.kind === 'stop' ? decision.terminal : 'completed';
    write({
      type: 'result',
      id: `${submission}/result`,
      submission,
      result: {
        type: 'result',
        subtype: 'success',
        terminal_reason: reason,
        num_turns: iterations.length,
        total_cost_usd: totalCostUsd,
      },
    });
  }
  return records;
}

/** The monotonic clock of the made process began here. */
const startMs0 = START - 5000;

const RULES: DecisionRecord['rules'] = [
  { name: 'aborted', verdict: 'pass', read: {} },
  { name: 'unexpected_error', verdict: 'pass' },
  { name: 'refused', verdict: 'pass', read: { stopReason: 'tool_use' } },
  { name: 'prompt_too_long', verdict: 'pass', read: { calls: 1 } },
  { name: 'hook_stopped', verdict: 'pass', read: {} },
  { name: 'tool_ended_turn', verdict: 'pass', read: { endsTurn: false } },
  { name: 'turn_limit', verdict: 'pass', read: { calls: 1 } },
];

const readCalls = (n: number): readonly MadeCall[] => [
  {
    name: 'Read',
    input: { file_path: `/work/project/src/part-${n % 17}.ts` },
    output: `export const part = ${n};\n`.repeat(8),
  },
];

function filled(made: MadeIteration, n: number) {
  const base = 9000 + n * 1500;
  const usage: Usage = {
    input_tokens: 12,
    output_tokens: 240,
    cache_read_input_tokens: n === 1 ? 0 : base - 1500,
    cache_creation_input_tokens: n === 1 ? base : 1500,
    ...made.usage,
  };
  const {
    input_tokens: fresh,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
  } = usage;
  const own = (fresh * 5 + output * 25 + read * 0.5 + write * 6.25) / 1e6;
  return {
    usage,
    costUsd: made.costUsd ?? round(own + (made.wastedCostUsd ?? 0)),
    calls: made.calls,
    text: made.text,
  };
}

const round = (usd: number): number => Math.round(usd * 1e12) / 1e12;

export const emptyRow = (agent: string): SpendingRow => ({
  model: MODEL,
  provider: 'firstParty',
  agent,
  purpose: 'loop',
  calls: 0,
  isPriced: true,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheCreationEphemeral5mInputTokens: 0,
  cacheCreationEphemeral1hInputTokens: 0,
  thinkingTokens: 0,
  webSearchRequests: 0,
  costUSD: 0,
});

const addTo = (row: SpendingRow, usage: Usage, costUsd: number): SpendingRow => ({
  ...row,
  calls: row.calls + 1,
  inputTokens: row.inputTokens + usage.input_tokens,
  outputTokens: row.outputTokens + usage.output_tokens,
  cacheReadInputTokens: row.cacheReadInputTokens + usage.cache_read_input_tokens,
  cacheCreationInputTokens: row.cacheCreationInputTokens + usage.cache_creation_input_tokens,
  cacheCreationEphemeral5mInputTokens:
    row.cacheCreationEphemeral5mInputTokens + usage.cache_creation_input_tokens,
  costUSD: round(row.costUSD + costUsd),
});

/** The rows of a session's last `cost` record. */
export function spendingIn(records: readonly Stamped[]): readonly SpendingRow[] {
  const cost = records.findLast(({ body }) => body.type === 'cost')?.body;
  return cost?.type === 'cost' ? (cost.spending ?? []) : [];
}

export function linesOfMade({ sessionId, cwd }: MadeSession, records: readonly Stamped[]): readonly string[] {
  const prefix = sessionPrefix({ sessionId, cwd, version: '1' });
  return records.map(({ body, at }, index) => encodeRecord(body, { seq: index + 1, epoch: 1 }, prefix, at));
}

/** Writes its journal, and those of its agents, below the home. `change`: of each record. Returns the journal's path. */
export function writeSession(
  home: string,
  session: MadeSession,
  agents: readonly {
    readonly id: string;
    readonly toolUseId?: string;
    readonly description: string;
    readonly session: MadeSession;
  }[] = [],
  change: (body: JournalBody) => readonly JournalBody[] = (body) => [body],
): string {
  const directory = sessionsDirectory(home, session.cwd);
  mkdirSync(directory, { recursive: true });
  const made = agents.map((agent) => ({ ...agent, records: makeRecords(agent.session) }));
  const more = made.flatMap(({ records }) => spendingIn(records));
  const records = makeRecords({ ...session, more: [...(session.more ?? []), ...more] }).flatMap(
    ({ body, at }) => change(body).map((changed) => ({ body: changed, at })),
  );
  const path = join(directory, `${session.sessionId}.jsonl`);
  writeFileSync(path, `${linesOfMade(session, records).join('\n')}\n`);
  if (made.length > 0) mkdirSync(join(directory, session.sessionId, 'subagents'), { recursive: true });
  for (const agent of made) {
    const base = join(directory, session.sessionId, 'subagents', `agent-${agent.id}`);
    writeFileSync(`${base}.jsonl`, `${linesOfMade(agent.session, agent.records).join('\n')}\n`);
    const { description, toolUseId } = agent;
    writeFileSync(
      `${base}.meta.json`,
      JSON.stringify({ agentType: agent.session.agentType, description, toolUseId, spawnDepth: 1 }),
    );
  }
  return path;
}
