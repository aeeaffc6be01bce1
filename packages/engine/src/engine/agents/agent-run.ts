/**
 * One agent, from its prompt to its typed outcome: the same loop as the main one (L11), with a view, tools
 * and a scope of its own. What goes wrong is an outcome, with what the agent had said until then (F140).
 */

import { ConsumerLeft, type Output } from '@turnwright/base/async/batch-output.ts';
import { Door } from '@turnwright/base/async/door.ts';
import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { renderMemory } from '../../memory/render.ts';
import { type CallLayer, layered } from '../../model/call-layers.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { NO_COST } from '../../protocol/session/spending.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { AgentOutcome, SpawnRequest } from '../../protocol/tools/agent.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { ToolProgress } from '../../protocol/tools/tool.ts';
import { refuseWithoutTools } from '../../subagents/select-tools.ts';
import { createDeliveries } from '../output/block-acknowledgements.ts';
import { AGENT_MESSAGE } from '../output/to-sdk-message.ts';
import { buildSurroundings } from '../session/request-context.ts';
import type { Session } from '../session/session.ts';
import { buildAgentPrompt, buildUserContext } from '../session/system-prompt.ts';
import { summariseProgress } from '../side-calls/agent-summaries.ts';
import {
  buildLoopDeps,
  buildLoopParams,
  type Drive,
  driveLoop,
  runDefaultsOf,
} from '../submission/loop-driver.ts';
import { noteAgentDenial } from '../submission/temporary-rules.ts';
import { createAgentMessages } from './agent-messages.ts';
import { openAgent } from './agent-opening.ts';
import { type AgentRecord, createAgentRecord, describeAgentEnd } from './agent-outcome.ts';
import type { AgentParts } from './agent-parts.ts';
import { forkedHead } from './forked-view.ts';
import type { RunKeeper } from './keep-runs.ts';

export interface SubagentRun {
  readonly request: SpawnRequest;
  /** The signal of the caller, or of the agent's task. */
  readonly signal: AbortSignal;
  readonly session: Session;
  /** Makes the agent's share of the session, for this model. */
  compose(model: string, scope: Scope): Promise<AgentParts>;
  /** Keeps its runs; undefined: no one goes on with it. */
  readonly keeper?: RunKeeper | undefined;
}

/** How long an aborted loop may take to record how it ended, in ms (L1: 100 ms, and the journal). */
const ABORT_GRACE_MS = 500;

export function runSubagent(run: SubagentRun): AsyncGenerator<ToolProgress, AgentOutcome> {
  const { session, request } = run;
  const { spans } = session.config;
  let scope: Scope | undefined;
  const start = (output: Output<ToolProgress>) => {
    scope = openScope(session.scope);
    return untilItEnds(run, scope, output);
  };
  return new Door<ToolProgress, AgentOutcome>(
    (output) => (spans === undefined ? start(output) : spans.ofAgent(request, () => start(output))),
    { abort: () => scope?.abort('returned') },
  );
}

async function untilItEnds(
  run: SubagentRun,
  scope: Scope,
  output: Output<ToolProgress>,
): Promise<AgentOutcome> {
  const { request, session, signal } = run;
  const { clock } = session.world;
  const startedMs = clock.monotonicMs();
  const model = pickModel(request, session);
  let agent: AgentParts | undefined;
  const record = createAgentRecord(model, () => agent?.ports.budget.ownCost ?? NO_COST);
  const deadlineMs = session.config.subagentDeadlineMs;
  let deadlinePassed = false;
  const cancelDeadline =
    deadlineMs === undefined
      ? () => {}
      : clock.timer(deadlineMs, () => {
          deadlinePassed = true;
          scope.abort('deadline');
        });
  const onAbort = () => scope.abort(typeof signal.reason === 'string' ? signal.reason : 'interrupt');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });

  let failure: ModelFailure | undefined;
  let terminal: Terminal;
  try {
    session.model.refuseUnpriced(model);
    refuseOtherProvider(request, session);
    agent = await run.compose(model, scope);
    if (agent.ports.tools.names().length === 0) refuseWithoutTools(request.definition, () => false);
    const onFailure = (last: ModelFailure | undefined) => (failure = last);
    terminal = await runLoopOf(agent, { ...run, model, scope, record, onFailure }, output);
  } catch (error) {
    if (error instanceof ConsumerLeft) throw error;
    const why = errorText(error);
    const isStopped = signal.aborted || session.scope.aborted;
    terminal = isStopped ? ABORTED : { reason: 'turn_setup_failed', turnCount: 0, errors: [why] };
  } finally {
    cancelDeadline();
    signal.removeEventListener('abort', onAbort);
    await scope.close();
    await agent?.ports.conversation.journal.close().catch(() => undefined);
  }
  const { end, why } = describeAgentEnd({
    terminal,
    failure,
    deadlinePassed,
    deadlineMs,
    limits: session.config,
    lastError: record.lastError,
  });
  await recordCost(request, session, 'end');
  await run.keeper?.ended(end).catch(() => undefined);
  return record.outcome(end, why, clock.monotonicMs() - startedMs);
}

const ABORTED: Terminal = { reason: 'aborted_streaming', turnCount: 0 };

interface Driven extends SubagentRun {
  readonly model: string;
  readonly scope: Scope;
  readonly record: AgentRecord;
  onFailure(failure: ModelFailure | undefined): void;
}

/** Runs the loop until it ends or the budget is used up. */
async function runLoopOf(agent: AgentParts, driven: Driven, output: Output<ToolProgress>): Promise<Terminal> {
  const { request, session, model, scope, record } = driven;
  const { ports } = agent;
  const { run = 1 } = request;
  const submission = run === 1 ? agent.name : `${agent.name}.${run}`;
  const { conversation, world } = ports;
  const messages = createAgentMessages(request, {
    sessionId: conversation.sessionId,
    ids: world.ids,
    clock: world.clock,
    text: session.config.forwardSubagentText === true || request.background,
    partial: ports.config.includePartialMessages === true,
  });
  const deliveries = createDeliveries();
  const progressOf = (message: SDKMessage): ToolProgress => {
    const taken = deliveries.of(message);
    const { cost } = record;
    return { type: AGENT_MESSAGE, lossless: true, message, cost, ...(taken !== undefined && { taken }) };
  };
  conversation.journal.onEntry(record.entry);
  let responses = 0;
  conversation.journal.onEntry(({ type }) => {
    if (type === 'response') void recordCost(request, session, ++responses);
  });
  const prompt = await openAgent(submission, agent, driven);
  await driven.keeper?.began(model);
  await output.emit([progressOf(messages.prompt(prompt.uuid, prompt.timestamp))]);

  await session.model.client.ready(model, scope);
  const { additionalDirectories = [] } = ports.config;
  const cwd = ports.tools.folder.now;
  const context = forkedHead(request, session) ?? {
    system: [...buildAgentPrompt(request.definition, { cwd, additionalDirectories }), ...agent.notes],
    userContext: buildAgentContext(request, model, session),
  };
  const params = {
    ...buildLoopParams({ submission, scope, model, context }, ports),
    querySource: `agent:${request.definition.name}` as const,
    agentPath: [request.parentAgentId, request.agentId].filter((id) => id !== undefined).join('/'),
    depth: request.depth,
  };
  ports.model.request = params;
  const drive: Drive<ToolProgress> = {
    params,
    deps: (guard) => ({
      ...buildLoopDeps(guard, ports),
      tools: deliveries.guard(ports.tools.port),
      callModel: layered(ports.model.client.call, [lastFailure(driven.onFailure)]),
      onDenial: (denial: PermissionDenial) => noteAgentDenial(denial, session),
    }),
    runsWith: runDefaultsOf(ports.config),
    budgets: { budget: ports.budget },
    show(message) {
      record.observe(message);
      // What an agent of its own has cost is no part of its cost.
      return message.type === 'progress' && message.data.type === AGENT_MESSAGE
        ? [{ ...message.data, cost: record.cost }]
        : messages.map(message).map(progressOf);
    },
    abortGraceMs: ABORT_GRACE_MS,
  };
  const endSummaries = summariseProgress({ request, record, conversation, session, signal: scope.signal });
  try {
    const end = await driveLoop(drive, output);
    return end?.kind === 'stop' ? end.terminal : ABORTED;
  } finally {
    endSummaries();
  }
}

/** The model of the request, of the definition, else the model of the caller. */
function pickModel({ model, definition }: SpawnRequest, session: Session): string {
  const named = [model, definition.model].find((name) => name !== undefined && name !== 'inherit');
  if (named !== undefined) return session.model.resolve(named);
  return session.model.inUse;
}

/**
 * The text of a file may have made the model choose this one for its agent (T103). Prompts go only to the
 * session's own provider, and to those that its user chose for it or for this agent.
 */
function refuseOtherProvider({ model, definition }: SpawnRequest, { model: own }: Session): void {
  const { providerOf } = own.client;
  const asked = model === undefined || model === 'inherit' ? undefined : providerOf(model);
  if (asked === undefined) return;
  const inUse = own.inUse;
  const chosen = [own.name, inUse, definition.model, ...own.fallbacksOf(inUse)].map(providerOf);
  if (chosen.includes(asked)) return;
  throw new TurnwrightError(
    'invalid_option',
    `${model} is a model of the provider "${asked}", which was not chosen for this session. Name another model, or none.`,
  );
}

/** The same context as before the main conversation, so that the project's rules apply to agents too. */
function buildAgentContext({ definition }: SpawnRequest, model: string, session: Session): readonly string[] {
  const { contexts } = session.conversation;
  if (contexts === undefined) return [];
  const memoryFiles = definition.omitClaudeMd === true ? [] : contexts.memoryFiles;
  return buildUserContext({
    memory: renderMemory(memoryFiles),
    surroundings: buildSurroundings(model, contexts, session),
  });
}

/** Remembers how the last call failed: a refusal for the budget looks like any other error from outside. */
function lastFailure(onFailure: Driven['onFailure']): CallLayer {
  return {
    after(_, outcome) {
      if (outcome !== undefined) onFailure(outcome.kind === 'failed' ? outcome.failure : undefined);
      return undefined;
    },
  };
}

/**
 * A session that dies now still knows what its agents have cost: their responses are not in its own journal.
 * The main agent's own record comes with its result.
 */
async function recordCost(
  { agentId, run = 1, submission }: SpawnRequest,
  { budget, conversation }: Pick<Session, 'budget' | 'conversation'>,
  n: number | 'end',
): Promise<void> {
  const { ledger } = budget;
  const cost = {
    totalCostUsd: ledger.totalCostUsd(),
    modelUsage: ledger.modelUsage(),
    spending: ledger.spending(),
  };
  const body: JournalBody = {
    type: 'cost',
    id: `${submission}/agent/${agentId}${run === 1 ? '' : `.${run}`}/cost/${n}`,
    submission,
    ...cost,
  };
  await conversation.recorder.append([body])?.catch(() => undefined);
}
