/** The running calls of the main agent and of subagents: their start, their progress, and their ends. */
import {
  type AssistantBlock,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKToolProgressMessage,
  type SDKUserMessage,
  toolFacts,
} from '@turnwright/engine';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { withoutSgr } from '@turnwright/terminal/text/sgr.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import type { AgentCall, ConversationState, CostFigure, RunningTool, Todo } from '../conversation-state.ts';
import type { AgentCallItem, ToolItem } from '../view/transcript-item.ts';

/** `parent`: the call that started the subagent whose calls they are; null for the main agent. */
export function startedTools(
  state: ConversationState,
  content: readonly AssistantBlock[],
  parent: string | null,
  nowMs: number,
): ConversationState {
  const calls = content.flatMap((block) => (block.type === 'tool_use' ? [startedCall(block, nowMs)] : []));
  if (calls.length === 0) return state;
  const { submission } = state;
  const next = {
    ...state,
    submission: submission && { ...submission, calls: submission.calls + calls.length },
    agentTasks: { ...state.agentTasks, ...tasksIn(calls) },
  };
  if (parent === null) return { ...next, tools: [...state.tools, ...calls] };
  const task = state.agentTasks[parent] ?? '';
  return { ...next, agentCalls: [...state.agentCalls, ...calls.map((call) => ({ ...call, task }))] };
}

function startedCall(
  { id, name, input }: Extract<AssistantBlock, { readonly type: 'tool_use' }>,
  nowMs: number,
): RunningTool {
  return {
    id,
    name,
    input,
    sinceMs: nowMs,
    askedMs: 0,
    askedSinceMs: undefined,
    output: undefined,
    agent: undefined,
    deniedBy: undefined,
    isOwn: false,
  };
}

/** What the subagents do that these calls start. */
function tasksIn(calls: readonly RunningTool[]): Readonly<Record<string, string>> {
  const tasks = calls.flatMap(({ id, name, input: { description } }) =>
    toolFacts(name).shownAs === 'agent' && typeof description === 'string'
      ? [[id, oneLine(description)] as const]
      : [],
  );
  return Object.fromEntries(tasks);
}

/** A message of a subagent: counts its responses, and names the tool that it calls. */
export function subagentAnswered(
  state: ConversationState,
  parent: string,
  { message }: SDKAssistantMessage,
  nowMs: number,
): ConversationState {
  return changeCall(startedTools(state, message.content, parent, nowMs), parent, (tool) => {
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
  return changeCall(state, owner.id, (tool) => {
    const agent = tool.agent ?? NEW_AGENT;
    return { ...tool, agent: { ...agent, costs: { ...agent.costs, [taskId]: cost } } };
  });
}

/** The sum; undefined: nothing was paid so far. */
export function sumCosts({ costs }: NonNullable<RunningTool['agent']>): CostFigure | undefined {
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
  return changeCall(state, id, (tool) => ({ ...tool, output: { lines, totalLines } }));
}

/** The calls that a user message answers leave the state and go to the transcript. */
export function endedTools(
  state: ConversationState,
  message: SDKUserMessage,
  nowMs: number,
): { readonly state: ConversationState; readonly items: readonly (ToolItem | AgentCallItem)[] } {
  const items = resultsIn(message).flatMap((result): (ToolItem | AgentCallItem)[] => {
    const isIts = ({ id }: RunningTool) => id === result.id;
    const tool = state.tools.find(isIts);
    if (tool !== undefined) return [{ kind: 'tool', ...endOf(tool, result, state, message, nowMs) }];
    const call = state.agentCalls.find(isIts);
    if (call === undefined) return [];
    return [{ kind: 'agentCall', task: call.task, ...endOf(call, result, state, message, nowMs) }];
  });
  const ended = new Set(items.map(({ id }) => id));
  if (ended.size === 0) return { state, items };
  const isOpen = ({ id }: RunningTool) => !ended.has(id);
  return {
    state: {
      ...state,
      tools: state.tools.filter(isOpen),
      agentCalls: state.agentCalls.filter(isOpen),
    },
    items,
  };
}

function endOf(
  { id, name, input, agent, sinceMs, askedMs, deniedBy }: RunningTool,
  { isError, text }: CallResult,
  { interruptingSinceMs }: ConversationState,
  { tool_result_meta, tool_use_result }: SDKUserMessage,
  nowMs: number,
): Omit<ToolItem, 'kind'> {
  const isRejected = tool_result_meta?.some(
    (meta) => meta.id === id && meta.non_execution_kind !== undefined,
  );
  // An interrupt is published as a rejection, too.
  const rejection = interruptingSinceMs === undefined ? 'denied' : 'stopped';
  const refusal = isRejected === true ? rejection : 'failed';
  return {
    id,
    name,
    input,
    ms: Math.max(0, nowMs - sinceMs - askedMs),
    outcome: !isError ? 'done' : deniedBy === undefined ? refusal : 'denied',
    isSaid: deniedBy === 'person',
    text,
    result: tool_use_result,
    agent: agent && { turns: agent.turns, cost: sumCosts(agent) },
  };
}

interface CallResult {
  readonly id: string;
  readonly isError: boolean;
  readonly text: string;
}

/** The results in a user message, one per answered call. */
function resultsIn({ message: { content } }: SDKUserMessage): readonly CallResult[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const { tool_use_id: id, is_error, content: said = [] } = block;
    const text = typeof said === 'string' ? said : said.map(textIn).join('\n');
    return [{ id, isError: is_error === true, text }];
  });
}

function textIn(block: { readonly type: string; readonly text?: string }): string {
  return block.type === 'text' ? (block.text ?? '') : `[${block.type}]`;
}

/** The list of things to do that these blocks set; undefined: they set none. */
export function todosIn(content: readonly AssistantBlock[]): readonly Todo[] | undefined {
  for (const block of content) {
    if (block.type !== 'tool_use') continue;
    const { todos } = block.input as { readonly todos?: unknown };
    if (toolFacts(block.name).sets === 'todos' && Array.isArray(todos)) return todos.flatMap(readTodo);
  }
  return undefined;
}

export function readTodo(given: {
  readonly content?: unknown;
  readonly status?: unknown;
  readonly activeForm?: unknown;
}): Todo[] {
  const { content, status } = given ?? {};
  if (typeof content !== 'string') return [];
  const isKnown = status === 'in_progress' || status === 'completed';
  return [{ text: content, status: isKnown ? status : 'pending' }];
}

/** The state with a change of one running call; the same state if it does not run. */
export function changeCall(
  state: ConversationState,
  id: string,
  change: <Call extends RunningTool>(call: Call) => Call,
): ConversationState {
  const isIt = (call: RunningTool) => call.id === id;
  const inList = <Call extends RunningTool>(calls: readonly Call[]): readonly Call[] =>
    calls.some(isIt) ? calls.map((call) => (isIt(call) ? change(call) : call)) : calls;
  const [tools, agentCalls] = [inList(state.tools), inList<AgentCall>(state.agentCalls)];
  return tools === state.tools && agentCalls === state.agentCalls ? state : { ...state, tools, agentCalls };
}
