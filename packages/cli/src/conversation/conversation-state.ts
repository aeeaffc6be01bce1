/** What the conversation knows and shows; plain data, made by `reduce`. Times are monotonic ms. */
import type { PermissionMode } from '@turnwright/engine';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';

/**
 * What is waited for (S6.3). `submitted`: the session takes the prompt; `waiting`: the model begins to
 * answer; `streaming`: it answers; `tools`: calls run; `deciding`: the engine prepares the next request.
 */
export type Phase =
  | 'starting'
  | 'idle'
  | 'submitted'
  | 'waiting'
  | 'streaming'
  | 'tools'
  | 'deciding'
  | 'exiting';

export interface ConversationState {
  readonly phase: Phase;
  /** Start of the phase. */
  readonly sinceMs: number;
  readonly session: ShownSession;
  /** The running submission; undefined while idle. */
  readonly submission: Submission | undefined;
  readonly answer: AnswerFacts;
  /** Calls of the main agent without a result, in the order of their start. */
  readonly tools: readonly RunningTool[];
  /** Calls of subagents without a result. */
  readonly agentCalls: readonly AgentCall[];
  /** What each subagent does, by the call that started it: one in the background goes on after its call. */
  readonly agentTasks: Readonly<Record<string, string>>;
  /** Background work of this session, and agents: those that have ended too, in the order of their start. */
  readonly tasks: readonly ShownTask[];
  readonly todos: readonly Todo[];
  readonly showsTodos: boolean;
  /** Prompts that wait, in the order in which they will be sent. */
  readonly queue: readonly PendingPrompt[];
  /** Drafts that were put aside, the last one at the end. */
  readonly stash: readonly Draft[];
  /** The last turn of an earlier process has no result: Enter on an empty prompt finishes it. */
  readonly isCutOff: boolean;
  /** Questions that wait for the person: permissions, questions of the model, plans. */
  readonly questions: number;
  /** Since when one of them is open. */
  readonly questionsSinceMs: number;
  readonly compactingSinceMs: number | undefined;
  readonly interruptingSinceMs: number | undefined;
  /** Id of the session whose MCP servers were reported. */
  readonly serversReportedOf: string;
  /** MCP servers that the first request waits for. */
  readonly awaitedServers: readonly string[];
  readonly retry: Retry | undefined;
  readonly figures: Figures;
  /** A sentence above the editor, until the next key. */
  readonly hint: string | undefined;
}

export interface ShownSession {
  /** '' until the session is open. */
  readonly id: string;
  readonly cwd: string;
  /** '' until it is known. */
  readonly model: string;
  readonly mode: PermissionMode;
  /** Before plan mode was entered last; undefined: it has not been. */
  readonly modeBeforePlan?: PermissionMode | undefined;
  readonly title: string | undefined;
  /** Of the repository that the folder is in; undefined: none, or it is not known. */
  readonly branch: string | undefined;
}

interface Submission {
  readonly startedMs: number;
  /** Time of the person's answers, which is not the model's. */
  readonly askedMs: number;
  /** As `--max-turns` counts them. */
  readonly turns: number;
  /** Tool calls, those of subagents included. */
  readonly calls: number;
  /** A request of this turn was made, and its tools have not answered yet. */
  readonly isAsked: boolean;
  /** Id of the last response; '' before the first one. */
  readonly response: string;
  /** Cost of the session when it began. */
  readonly usdBefore: number;
  /** Its prompt, until the first request: if the session does not take it, it returns to the queue. */
  readonly opener: PendingPrompt | undefined;
}

interface AnswerFacts {
  readonly kind: 'none' | 'thinking' | 'writing' | 'calling';
  /** Streamed text whose finished block has not arrived. */
  readonly unfinished: string;
  /** Streamed thinking of the block that is being written. */
  readonly thinking: string;
  /** Characters of the response so far: text, thinking and the input of calls. */
  readonly received: number;
  /** uuids of finished blocks of text since the last user message: they can still be retracted. */
  readonly shown: readonly string[];
}

export interface RunningTool {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly sinceMs: number;
  /** Time of the person's answers, which is not the tool's. */
  readonly askedMs: number;
  /** Since when the person is asked about it; undefined: they are not. */
  readonly askedSinceMs: number | undefined;
  /** Output of a command so far. */
  readonly output: ToolTail | undefined;
  /** The subagent that the call started. */
  readonly agent: AgentFacts | undefined;
  /** Who denied it; undefined: it is not denied. */
  readonly deniedBy: 'person' | 'rule' | undefined;
  /** The person's own command (`!command`), which no model has called. */
  readonly isOwn: boolean;
}

export interface AgentCall extends RunningTool {
  /** What the subagent that makes it does; '' if that is not known. */
  readonly task: string;
}

interface ToolTail {
  /** The last lines that are not empty. */
  readonly lines: readonly string[];
  /** Of the whole output. */
  readonly totalLines: number;
}

interface AgentFacts {
  readonly turns: number;
  /** Id of the last response that was counted. */
  readonly lastResponse: string;
  readonly lastTool: string | undefined;
  /** By task: its own, and those of the agents that it started. */
  readonly costs: Readonly<Record<string, CostFigure>>;
}

/** A command in the background, or an agent. */
export interface ShownTask {
  readonly id: string;
  readonly kind: 'command' | 'agent';
  readonly description: string;
  /** Of an agent. */
  readonly agentType: string | undefined;
  /** The call that started it. */
  readonly toolUseId: string | undefined;
  readonly status: 'running' | 'completed' | 'failed' | 'stopped';
  /** false: its call waits for it. */
  readonly isInBackground: boolean;
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  /** How it ended, in a sentence. */
  readonly summary: string | undefined;
  /** Of an agent so far. */
  readonly usage: TaskFigures | undefined;
}

interface TaskFigures {
  readonly tokens: number;
  readonly calls: number;
  readonly lastTool: string | undefined;
  readonly cost: CostFigure;
}

export interface Todo {
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export interface PendingPrompt {
  readonly uuid: string;
  readonly text: string;
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
  /** `session`: it joins the running work; `here`: it waits for Enter, after an interrupt or a restart. */
  readonly place: 'session' | 'here';
}

interface Retry {
  /** Why, and with which status: `overloaded (529)`. */
  readonly reason: string;
  readonly attempt: number;
  /** undefined: nothing limits them. */
  readonly maxAttempts: number | undefined;
  readonly untilMs: number;
}

/** Figures of the status line. undefined: not known yet. */
export interface Figures {
  readonly context: ContextFigure | undefined;
  readonly cost: CostFigure | undefined;
  readonly cache: CacheFigure | undefined;
  readonly work: WorkFigure | undefined;
}

/** What the session has taken and changed so far. */
export interface WorkFigure {
  /** Time of model calls. */
  readonly apiMs: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface ContextFigure {
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Part of `usedTokens` is an estimate. */
  readonly isEstimated: boolean;
  /** Tokens at which the session is compacted; undefined: never. */
  readonly compactsAt: number | undefined;
  /** Tokens above which no request is made. */
  readonly blocksAt: number;
}

export interface CostFigure {
  readonly usd: number;
  /** A model without a price was used: the real cost is higher. */
  readonly isUnpriced: boolean;
  /** USD at which the running prompt will probably end; absent: nothing runs, or too little is known. */
  readonly endsAt?: { readonly lowUsd: number; readonly highUsd: number };
}

export interface CacheFigure {
  readonly readTokens: number;
  readonly inputTokens: number;
  /** What broke the cache, in a few words. */
  readonly brokenBy: string | undefined;
}

/** The state of a conversation whose session is being opened. */
export function startingState(
  nowMs: number,
  session: Pick<ShownSession, 'cwd'> & Partial<ShownSession>,
): ConversationState {
  return {
    phase: 'starting',
    sinceMs: nowMs,
    session: { id: '', model: '', mode: 'default', title: undefined, branch: undefined, ...session },
    submission: undefined,
    answer: NO_ANSWER,
    tools: [],
    agentCalls: [],
    agentTasks: {},
    tasks: [],
    todos: [],
    showsTodos: true,
    queue: [],
    stash: [],
    isCutOff: false,
    questions: 0,
    questionsSinceMs: nowMs,
    compactingSinceMs: undefined,
    interruptingSinceMs: undefined,
    serversReportedOf: '',
    awaitedServers: [],
    retry: undefined,
    figures: { context: undefined, cost: undefined, cache: undefined, work: undefined },
    hint: undefined,
  };
}

export const NO_ANSWER: AnswerFacts = { kind: 'none', unfinished: '', thinking: '', received: 0, shown: [] };

/** What runs in the background. */
export function listBackground({ tasks }: Pick<ConversationState, 'tasks'>): readonly ShownTask[] {
  return tasks.filter(({ isInBackground, status }) => isInBackground && status === 'running');
}

/** A submission runs, or is about to. */
export function isWorking({ phase }: Pick<ConversationState, 'phase'>): boolean {
  return phase !== 'starting' && phase !== 'idle' && phase !== 'exiting';
}

/** What the subagent does that makes this call; undefined: no subagent makes it. */
export function taskOf({ agentCalls }: ConversationState, toolUseId: string): string | undefined {
  return agentCalls.find(({ id }) => id === toolUseId)?.task;
}
