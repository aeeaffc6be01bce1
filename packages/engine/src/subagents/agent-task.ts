/**
 * An agent as a task of its session. Its call waits for it until it is detached, or does not wait at all;
 * then its messages bypass the call, and the task table reports its end.
 */
import { type Cost, NO_COST } from '../protocol/session/spending.ts';
import type { AgentOutcome, Spawn, SpawnRequest } from '../protocol/tools/agent.ts';
import type { TaskEnd, TaskHandle, TaskProgress, TaskTable, TaskUsage } from '../protocol/tools/task.ts';
import type { ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import { type KilledBy, type StatsKeeper, toEnding } from './stats.ts';
import { type AgentToolOutput, failedText, toAgentOutput } from './tool-output.ts';

interface AgentTaskPorts {
  readonly spawn: Spawn;
  readonly tasks: TaskTable;
  readonly stats: StatsKeeper;
  readonly goesOn: boolean;
  /** Emits progress that no longer belongs to a call. */
  show(progress: ToolProgress): void;
}

export async function* runAsTask(
  request: SpawnRequest,
  context: ToolContext,
  { spawn, tasks, show, stats, goesOn }: AgentTaskPorts,
): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
  const life = new AbortController();
  const untold = new UntoldProgress();
  let running: Promise<AgentOutcome> | undefined;
  // An abort of the turn, unless the task is stopped.
  let killedBy: KilledBy = 'user';
  await context.delivered?.();
  const task = await tasks.register({
    kind: 'agent',
    id: request.agentId,
    description: request.description,
    toolUseId: request.toolUseId,
    prompt: request.prompt,
    subagentType: request.definition.name,
    spawnDepth: request.depth,
    parentTaskId: request.parentAgentId,
    inBackground: request.background,
    onDetach: () => untold.letGo(),
    async stop(by) {
      killedBy = by === 'model' ? 'parent' : by === 'host' || by === 'interrupt' ? 'user' : 'system';
      life.abort('stopped');
      await running;
    },
  });
  const tally = createTally(context.nowMs);
  const inBackground = (progress: ToolProgress) => {
    const usage = tally.see(progress);
    if (usage !== undefined) task.progress(usage);
    show(progress);
  };
  let deliver = request.background ? inBackground : (progress: ToolProgress) => untold.add(progress);
  running = drive(spawn(request, life.signal), (progress) => deliver(progress));
  running.then(
    (outcome) => stats.ended(toEnding(outcome, killedBy)),
    () => stats.ended('failed'),
  );
  if (request.background) return launched(request, context, task, running);

  const handover = createHandover();
  const onAbort = () => {
    life.abort(context.signal.reason);
    handover.giveUp();
  };
  if (context.signal.aborted) onAbort();
  context.signal.addEventListener('abort', onAbort, { once: true });
  const over = () => untold.end();
  running.then(over, over);
  /** Messages of the task follow those that were yielded before it. */
  const messages = async function* () {
    for (let next = untold.take(); next !== undefined; next = untold.take()) {
      const usage = tally.see(next);
      if (usage !== undefined) {
        await handover.done();
        task.progress(usage);
      }
      yield handover.watch(next);
    }
  };
  try {
    while (true) {
      yield* messages();
      if (untold.hasEnded && untold.isEmpty) break;
      if (untold.takeLetGo() && (await wentOn(task))) {
        do {
          yield* messages();
          await handover.done();
        } while (!untold.isEmpty);
        deliver = inBackground;
        return launched(request, context, task, running);
      }
      await untold.changed();
    }
  } finally {
    context.signal.removeEventListener('abort', onAbort);
  }
  const outcome = await running;
  await handover.done();
  await task.finish(toTaskEnd(request, outcome));
  return toAgentOutput(request, outcome, goesOn);
}

/** What a call has not yielded yet of its agent, and why it may stop waiting for more. */
class UntoldProgress {
  hasEnded = false;
  readonly #waiting: ToolProgress[] = [];
  #isLetGo = false;
  #wake = () => {};

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(progress: ToolProgress): void {
    this.#waiting.push(progress);
    this.#wake();
  }

  take(): ToolProgress | undefined {
    return this.#waiting.shift();
  }

  /** The agent has ended. */
  end(): void {
    this.hasEnded = true;
    this.#wake();
  }

  /** The call is to go on without the agent. */
  letGo(): void {
    this.#isLetGo = true;
    this.#wake();
  }

  /** Whether `letGo` was called since the last time that this was asked. */
  takeLetGo(): boolean {
    const isLetGo = this.#isLetGo;
    this.#isLetGo = false;
    return isLetGo;
  }

  /** Resolves when there is something to take, or to do. */
  async changed(): Promise<void> {
    if (!this.isEmpty || this.hasEnded || this.#isLetGo) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

async function drive(
  run: ReturnType<Spawn>,
  deliver: (progress: ToolProgress) => void,
): Promise<AgentOutcome> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
    deliver(step.value);
  }
}

/** False when it must stay in the foreground: the change could not be recorded, or too much is there. */
async function wentOn(task: TaskHandle): Promise<boolean> {
  try {
    await task.background();
    return true;
  } catch {
    return false;
  }
}

function launched(
  request: SpawnRequest,
  context: ToolContext,
  task: TaskHandle,
  running: Promise<AgentOutcome>,
): ToolOutput<AgentToolOutput> {
  const { agentId, description, prompt, definition } = request;
  const { outputFile } = task;
  void running.then(async (outcome) => {
    const end = toTaskEnd(request, outcome);
    // If the file cannot be written, the notification has the text.
    await context.files.writeAtomic(outputFile, end.result ?? '', { mode: 0o600 }).catch(() => undefined);
    await task.finish(end);
  });
  return {
    data: { status: 'async_launched', isAsync: true, agentId, description, prompt, outputFile },
    content: `The agent ${definition.name} works in the background as ${agentId}. You will be told when it is done; go on with other work, and neither wait for it nor do its work yourself.`,
  };
}

function toTaskEnd(request: SpawnRequest, outcome: AgentOutcome): TaskEnd {
  const who = `Agent "${request.description}"`;
  const usage: TaskUsage = {
    totalTokens: outcome.totalTokens,
    toolUses: outcome.totalToolUseCount,
    durationMs: outcome.totalDurationMs,
    costUsd: outcome.costUsd,
    isPriced: outcome.isPriced,
  };
  if (outcome.end === 'completed')
    return { status: 'completed', summary: `${who} completed`, result: outcome.text, usage };
  const why = outcome.why ?? outcome.end;
  return {
    status: outcome.end === 'aborted' ? 'stopped' : 'failed',
    summary: `${who} did not complete (${outcome.end}): ${why}`,
    result: failedText(request, outcome, why),
    usage,
  };
}

/** Progress of its work, derived from its messages; undefined when there is nothing new. */
function createTally(nowMs: () => number) {
  const startedMs = nowMs();
  let toolUses = 0;
  let totalTokens = 0;
  return {
    see({ message, cost }: ToolProgress): TaskProgress | undefined {
      if (!isAnswer(message)) return undefined;
      const calls = message.message.content.filter(({ type }) => type === 'tool_use');
      const last = calls.at(-1);
      if (last === undefined) return undefined;
      toolUses += calls.length;
      const paid = (cost as Cost | undefined) ?? NO_COST;
      const { usage } = message.message;
      totalTokens = Object.entries(usage).reduce(
        (sum, [name, value]) => (name.endsWith('_tokens') && typeof value === 'number' ? sum + value : sum),
        0,
      );
      return {
        usage: { ...paid, toolUses, totalTokens, durationMs: Math.max(0, nowMs() - startedMs) },
        lastToolName: String(last.name),
      };
    },
  };
}

interface Answer {
  readonly type: 'assistant';
  readonly message: {
    readonly content: readonly { readonly type: string; readonly name?: unknown }[];
    readonly usage: Readonly<Record<string, unknown>>;
  };
}

const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'assistant';

/** Whether the consumer has received the progress of a call. */
interface Handover {
  /** Returns the progress with a receipt. */
  watch(progress: ToolProgress): ToolProgress;
  /** Resolves when the consumer has received everything, or never will. */
  done(): Promise<void>;
  /** Stops waiting. */
  giveUp(): void;
}

function createHandover(): Handover {
  let last = Promise.resolve();
  let release = () => {};
  let isGivenUp = false;
  return {
    watch(progress) {
      let onTaken = () => {};
      last = new Promise((resolve) => (onTaken = resolve));
      release = onTaken;
      return {
        ...progress,
        taken() {
          progress.taken?.();
          onTaken();
        },
      };
    },
    async done() {
      if (!isGivenUp) await last;
    },
    giveUp() {
      isGivenUp = true;
      release();
    },
  };
}
