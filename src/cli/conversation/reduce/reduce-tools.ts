/** The running calls of the main agent: their start, their progress, and their ends. */
import {
  type AssistantBlock,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKToolProgressMessage,
  type SDKUserMessage,
  toolFacts,
} from '../../../index.ts';
import { clean } from '../../../terminal/text/clean.ts';
import { withoutSgr } from '../../../terminal/text/sgr.ts';
import { resultsOf } from '../../screen/open-tools.ts';
import type { ConversationState, CostFigure, RunningTool, Todo } from '../state.ts';
import type { ToolItem } from '../view/transcript-item.ts';
import type { Step } from './step.ts';

export function startedTools(
  state: ConversationState,
  content: readonly AssistantBlock[],
  nowMs: number,
): ConversationState {
  const calls = content.flatMap((block): RunningTool[] =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            name: block.name,
            input: block.input,
            sinceMs: nowMs,
            askedMs: 0,
            output: undefined,
            agent: undefined,
            deniedBy: undefined,
            isOwn: false,
          },
        ]
      : [],
  );
  return calls.length === 0 ? state : { ...state, tools: [...state.tools, ...calls] };
}

/** A message of a subagent: counts its responses, and names the tool that it calls. */
export function subagentAnswered(
  state: ConversationState,
  parent: string,
  { message }: SDKAssistantMessage,
): ConversationState {
  return changed(state, parent, (tool) => {
    const before = tool.agent ?? NEW_AGENT;
    const isNew = message.id !== before.lastResponse;
    const call = message.content.find((block) => block.type === 'tool_use');
    const agent = {
      ...before,
      turns: before.turns + (isNew ? 1 : 0),
      lastResponse: message.id,
      lastTool: call === undefined ? before.lastTool : call.name,
    };
    return { ...tool, agent };
  });
}

const NEW_AGENT: NonNullable<RunningTool['agent']> = {
  turns: 0,
  lastResponse: '',
  lastTool: undefined,
  costs: {},
};

type TaskMessage = Extract<
  SDKMessage,
  { readonly subtype: 'task_started' | 'task_progress' | 'task_notification' }
>;

/** What the agent of a call has cost; agents that it has started belong to the same call. */
export function taskReported(state: ConversationState, message: TaskMessage): ConversationState {
  const { task_id } = message;
  const isOf = ({ agent }: RunningTool, taskId = task_id) => agent?.costs[taskId] !== undefined;
  if (message.subtype === 'task_started') {
    if (message.task_type !== 'local_agent') return state;
    const { tool_use_id, parent_task_id } = message;
    const starter = state.tools.find((tool) => tool.id === tool_use_id || isOf(tool, parent_task_id));
    return withCost(state, starter, task_id, { usd: 0, isUnpriced: false });
  }
  const { usage } = message;
  if (usage === undefined) return state;
  const owner = state.tools.find((tool) => isOf(tool));
  return withCost(state, owner, task_id, { usd: usage.cost_usd, isUnpriced: usage.cost_basis === 'unknown' });
}

function withCost(
  state: ConversationState,
  owner: RunningTool | undefined,
  taskId: string,
  cost: CostFigure,
): ConversationState {
  if (owner === undefined) return state;
  return changed(state, owner.id, (tool) => {
    const agent = tool.agent ?? NEW_AGENT;
    return { ...tool, agent: { ...agent, costs: { ...agent.costs, [taskId]: cost } } };
  });
}

/** The sum; undefined: nothing was paid so far. */
export function costOf({ costs }: NonNullable<RunningTool['agent']>): CostFigure | undefined {
  const all = Object.values(costs);
  const usd = all.reduce((sum, cost) => sum + cost.usd, 0);
  return usd === 0 ? undefined : { usd, isUnpriced: all.some(({ isUnpriced }) => isUnpriced) };
}

/** Lines of a running command that are kept. */
const TAIL_LINES = 3;

export function progressed(
  state: ConversationState,
  { tool_use_id, data }: SDKToolProgressMessage,
): ConversationState {
  const { output, totalLines } = (data ?? {}) as { readonly output?: unknown; readonly totalLines?: unknown };
  if (typeof output !== 'string' || typeof totalLines !== 'number') return state;
  return withOutput(state, tool_use_id, output, totalLines);
}

/** `text`: the end of what a command has written so far. */
export function withOutput(
  state: ConversationState,
  id: string,
  text: string,
  totalLines: number,
): ConversationState {
  const all = text.trimEnd().split(/\r?\n/);
  // The first one may be cut.
  const whole = all.length > TAIL_LINES ? all.slice(1) : all;
  const lines = whole.filter((line) => withoutSgr(clean(line, 'sgr')).trim() !== '').slice(-TAIL_LINES);
  return changed(state, id, (tool) => ({ ...tool, output: { lines, totalLines } }));
}

/** The calls that a user message answers leave the state and go to the transcript. */
export function endedTools(state: ConversationState, message: SDKUserMessage, nowMs: number): Step {
  const items = resultsOf(message).flatMap(({ id, outcome }): ToolItem[] => {
    const tool = state.tools.find((running) => running.id === id);
    if (tool === undefined) return [];
    const { name, input, agent } = tool;
    const isRejected = message.tool_result_meta?.some(
      (meta) => meta.id === id && meta.non_execution_kind !== undefined,
    );
    // An interrupt is published as a rejection, too.
    const rejection = state.interruptingSinceMs === undefined ? 'denied' : 'stopped';
    return [
      {
        kind: 'tool',
        id,
        name,
        input,
        ms: Math.max(0, nowMs - tool.sinceMs - tool.askedMs),
        outcome: !outcome.isError
          ? 'done'
          : tool.deniedBy !== undefined
            ? 'denied'
            : isRejected === true
              ? rejection
              : 'failed',
        isSaid: tool.deniedBy === 'person',
        text: outcome.text,
        result: message.tool_use_result,
        agent: agent && { turns: agent.turns, cost: costOf(agent) },
      },
    ];
  });
  const ended = new Set(items.map(({ id }) => id));
  if (ended.size === 0) return { state, items };
  return { state: { ...state, tools: state.tools.filter(({ id }) => !ended.has(id)) }, items };
}

/** The list of things to do that these blocks set; undefined: they set none. */
export function todosIn(content: readonly AssistantBlock[]): readonly Todo[] | undefined {
  for (const block of content) {
    if (block.type !== 'tool_use') continue;
    const { todos } = block.input as { readonly todos?: unknown };
    if (toolFacts(block.name).sets === 'todos' && Array.isArray(todos)) return todos.flatMap(todoOf);
  }
  return undefined;
}

export function todoOf(given: {
  readonly content?: unknown;
  readonly status?: unknown;
  readonly activeForm?: unknown;
}): Todo[] {
  const { content, status } = given ?? {};
  if (typeof content !== 'string') return [];
  const isKnown = status === 'in_progress' || status === 'completed';
  return [{ text: content, status: isKnown ? status : 'pending' }];
}

function changed(
  state: ConversationState,
  id: string,
  change: (tool: RunningTool) => RunningTool,
): ConversationState {
  if (!state.tools.some((tool) => tool.id === id)) return state;
  return { ...state, tools: state.tools.map((tool) => (tool.id === id ? change(tool) : tool)) };
}
