/**
 * A worker whose model and tools are scripted, and whose every step is a line in a file that survives `kill -9`:
 * `<ms> <pid> <session> <what> <id> …`. It runs without DBOS when `RUNNER` is `in-process`. The model is a function of the conversation, so any worker continues it.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '@turnwright/engine';
import type { CallModel, ModelRequest } from '@turnwright/engine/protocol/model/model.ts';
import type { EffectClass } from '@turnwright/engine/protocol/tools/tool.ts';
import { callTool, fakeTool, pause, reply, type ScriptStep, say, scriptedModel } from '@turnwright/testing';
import { inProcessRunner, type Worker, type WorkerOptions, worker } from '../../src/index.ts';

const env = (name: string): string => process.env[name] ?? '';

const ledger = env('LEDGER');

export function note(sessionId: string, what: string, ...details: readonly (string | number)[]): void {
  appendFileSync(ledger, `${[Date.now(), process.pid, sessionId, what, ...details].join(' ')}\n`);
}

/** Ids of the calls in the conversation, and of those that have a result. */
export function callsIn(request: ModelRequest): { readonly called: string[]; readonly answered: string[] } {
  const called: string[] = [];
  const answered: string[] = [];
  for (const { type, message } of request.view.slice() as readonly {
    type: string;
    message?: { content: string | readonly { type: string; id?: string; tool_use_id?: string }[] };
  }[]) {
    if (message === undefined || typeof message.content === 'string') continue;
    for (const block of message.content) {
      if (type === 'assistant' && block.type === 'tool_use') called.push(block.id ?? '');
      if (type === 'user' && block.type === 'tool_result') answered.push(block.tool_use_id ?? '');
    }
  }
  return { called, answered };
}

/** Round of the next answer: one more than that of the last call in the conversation. */
export const roundOf = (called: readonly string[]): number =>
  1 + Math.max(0, ...called.map((id) => Number(id.split('.')[1])));

export interface Scenario {
  readonly rounds: number;
  /** Each answer takes about so long, and each tool. */
  readonly modelMs: number;
  readonly toolMs: number;
}

const name = { unsafe: 'Effect', idempotent: 'Repeat', pure: 'Look' } as const;

/** Each round calls a tool of each class while the answer still streams. */
export function scriptedAnswer({ rounds, modelMs }: Scenario): ScriptStep {
  return (request) => {
    const { called, answered } = callsIn(request);
    const round = roundOf(called);
    note(request.sessionId, 'asked', round, called.join(','), answered.join(','));
    if (round > rounds) return say(`Done after ${rounds} rounds.`);
    const call = (kind: keyof typeof name) =>
      callTool(name[kind], { round }, { id: `${request.sessionId}.${round}.${kind}` });
    return reply([
      say(`Round ${round}.`),
      call('pure'),
      call('unsafe'),
      pause(sleep(modelMs)),
      call('idempotent'),
    ]);
  };
}

/** `afterEffect` is called before the call has a result. */
export function scriptedTools(
  { toolMs }: Scenario,
  afterEffect: (toolUseId: string) => void = () => undefined,
) {
  return (Object.keys(name) as EffectClass[]).map((effectClass) =>
    fakeTool({
      name: name[effectClass],
      effectClass,
      concurrencySafe: true,
      readOnly: effectClass === 'pure',
      async answer(_, { sessionId, toolUseId }) {
        note(sessionId, 'start', toolUseId);
        await sleep(toolMs);
        note(sessionId, 'effect', toolUseId);
        afterEffect(toolUseId);
        return 'done';
      },
    }),
  );
}

/**
 * A model that answers each request of a process in the same way. It is a scripted model of one call each time, as one
 * of many calls keeps the requests of all of them.
 */
export const alwaysAnswering = (answer: ScriptStep): { readonly callModel: CallModel } => ({
  callModel: (request, call) => scriptedModel([answer]).callModel(request, call),
});

export async function scriptedWorker(
  answer: ScriptStep,
  options: Partial<WorkerOptions> & { readonly engine?: object } = {},
  further: Partial<Options> | ((sessionId: string) => Partial<Options>) = {},
): Promise<Worker> {
  const { engine, ...rest } = options;
  const model = alwaysAnswering(answer);
  const running = await worker({
    db: env('DB'),
    direct: env('DIRECT') || undefined,
    ...(env('RUNNER') === 'in-process' && { runner: inProcessRunner() }),
    stderr: (line) => process.stderr.write(`${line}\n`),
    options: ({ sessionId }) => ({
      settingSources: [],
      allowedTools: Object.values(name),
      ...(typeof further === 'function' ? further(sessionId) : further),
      engine: { callModel: model.callModel, home: env('HOME_FOLDER'), ...engine },
    }),
    ...rest,
  });
  process.once(
    'SIGTERM',
    () => void running.drain(Number(env('DRAIN_MS') || 5_000)).then(() => process.exit(0)),
  );
  process.on('SIGUSR2', async () => {
    globalThis.gc?.();
    const { heapUsed } = process.memoryUsage();
    const figures = await running.health.figures();
    const busy = figures.find((figure) => figure.name === 'turnwright_sessions_running');
    process.stdout.write(`heap ${heapUsed} ${busy?.type === 'gauge' ? busy.value : ''}\n`);
  });
  process.stdout.write(`ready ${running.id}\n`);
  return running;
}
