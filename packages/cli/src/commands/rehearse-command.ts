/** `turnwright rehearse <scenario> [task]`: runs the engine against a scripted model. */
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  RehearsalServer,
  Scenario,
  ScenarioFunction,
  TimelineEvent,
} from '@turnwright/testing/rehearsal';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../flags/args.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { playBundled } from './bundled-run.ts';
import {
  listProblems,
  listUnusedReplies,
  makeRunFolder,
  REHEARSAL_KEY,
  runRehearsed,
} from './rehearsed-run.ts';

/** Plays the scenario that comes with Turnwright. */
const BUNDLED = 'bundled';
const DEFAULT_RATE = 0.1;
const DEFAULT_TASK = 'Begin.';

export async function runRehearseCommand(
  world: World,
  { scenario: name, words, flags }: Extract<Invocation, { readonly command: 'rehearse' }>,
): Promise<ExitCode> {
  const { startRehearsal } = await import('@turnwright/testing/rehearsal');
  const scenario = await readScenario(name, world.cwd);
  const server = await startRehearsal({
    scenario,
    ...(flags.port !== undefined && { port: flags.port }),
    ...(flags.lenient !== undefined && { lenient: flags.lenient }),
    ...(flags.chaos !== undefined && { chaos: { seed: flags.chaos, rate: flags.rate ?? DEFAULT_RATE } }),
    ...(flags.serve === true && { onEvent: (event) => logEvent(world, event) }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${flags.port} is taken: give another one, or no --port for any free one.`);
  });
  try {
    if (flags.serve === true) return await serve(world, server);
    if (name === BUNDLED) return await playBundled(world, server, flags, words.join(' ').trim());
    const prompt = await readPrompt({ words, stdin: world.stdin });
    return await runRehearsed({
      world,
      server,
      flags,
      prompt: prompt === '' ? taskOf(scenario) : prompt,
      cwd: world.cwd,
      sessionHome: join(await makeRunFolder(), 'home'),
      before: [`Rehearsal: the model's words come from ${name}, all else is real.`, ''],
    });
  } finally {
    await server.close();
  }
}

const taskOf = (scenario: Scenario | ScenarioFunction): string =>
  ('task' in scenario ? scenario.task : undefined) ?? DEFAULT_TASK;

async function readScenario(name: string, cwd: string): Promise<Scenario | ScenarioFunction> {
  if (name === BUNDLED) return (await import('@turnwright/testing/rehearsal/bundled')).bundledScenario();
  const path = resolve(cwd, name);
  if (/\.m?js$/.test(path)) return scenarioModule(path, name);
  const { loadScenario } = await import('@turnwright/testing/rehearsal');
  return loadScenario(path);
}

/** A module's default export, or its `scenario`: a function or data. */
async function scenarioModule(path: string, name: string): Promise<Scenario | ScenarioFunction> {
  const module = (await import(pathToFileURL(path).href).catch((error: unknown) => {
    // Node's error does not name the file.
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${name} is no JavaScript module: ${error.message}.`);
  })) as {
    readonly default?: unknown;
    readonly scenario?: unknown;
  };
  const scenario = module.default ?? module.scenario;
  const isData = typeof scenario === 'object' && scenario !== null && 'replies' in scenario;
  if (!isData && typeof scenario !== 'function') {
    throw new UsageError(
      `${name} exports no scenario: give it a default export, a function or an object with replies.`,
    );
  }
  if (typeof scenario === 'function') return scenario as ScenarioFunction;
  const data = scenario as Scenario;
  return { ...data, name: data.name ?? basename(name), source: data.source ?? name };
}

/** Listens until it is stopped; then reports unused replies. */
async function serve(world: World, server: RehearsalServer): Promise<ExitCode> {
  await world.out.write(
    `Listening on ${server.url}. Point a client here:\n  export ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=${REHEARSAL_KEY}\nCtrl-C ends it.\n`,
  );
  await new Promise<void>((resolve) => {
    world.signals.attach({ interrupt: async () => resolve(), close: async () => resolve() });
  });
  const problems = listProblems(server);
  const lines = [...problems, ...listUnusedReplies(server)];
  if (lines.length > 0) await world.out.write(`${lines.join('\n')}\n`);
  return problems.length > 0 ? EXIT.error : EXIT.success;
}

function logEvent(world: World, event: TimelineEvent): void {
  const said =
    event.kind === 'request_arrived'
      ? `${event.method} ${event.path}`
      : event.kind === 'headers_sent'
        ? `${event.status}`
        : event.kind === 'fault'
          ? `fault: ${event.fault}`
          : undefined;
  if (said !== undefined) void world.out.write(`  ${event.request}  ${said}\n`).catch(() => undefined);
}
