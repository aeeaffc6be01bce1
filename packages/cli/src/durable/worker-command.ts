/** `turnwright worker`: runs the sessions of a database, with the agent that a module describes. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorText } from '@turnwright/base/text/error-text.ts';
import {
  type HealthServer,
  type LogLine,
  MODULE_FIELDS,
  serveHealth,
  type Worker,
  type WorkerModule,
  worker,
} from '@turnwright/durable';
import { TurnwrightError } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { WorkerInvocation } from '../flags/durable-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { databaseUrl } from './database-url.ts';

/** The port that Prometheus' list of exporters leaves to OpenTelemetry, whose text format this is. */
const HEALTH_PORT = 9464;
const DRAIN_SECONDS = 30;

export async function runWorkerCommand(world: World, { module, flags }: WorkerInvocation): Promise<ExitCode> {
  const db = databaseUrl(flags, world);
  const described = await load(module, world);
  const { concurrency, drain: drainSeconds = DRAIN_SECONDS, health, healthHost: host } = flags;
  const write = (line: string) => void world.err.write(`${line}\n`).catch(() => undefined);
  const writeLog = (line: LogLine) => write(JSON.stringify(line));
  const running = await worker({
    ...described,
    db,
    direct: flags.direct ?? world.env['TURNWRIGHT_DB_DIRECT'],
    ...(concurrency !== undefined && { concurrency }),
    ...(flags.log === 'json' ? { log: writeLog } : { stderr: write }),
  });
  const leave = () => void running.drain(drainSeconds * 1_000).catch(() => undefined);
  const forget = world.signals.attach({ interrupt: leave, close: leave, drains: true });
  try {
    const served = health === false ? undefined : await startHealth(running, { port: health, host });
    const where = served === undefined ? '' : ` Health: ${served.url}/healthz`;
    const message = `Worker ${running.id} takes sessions.${where}`;
    if (flags.log === 'json')
      writeLog({ time: new Date().toISOString(), level: 'info', message, worker: running.id });
    else write(message);
    // It drains for a signal, or because of `durable cordon`.
    await running.closed;
    await served?.close();
  } catch (error) {
    await running.drain(0).catch(() => undefined);
    throw error;
  } finally {
    forget();
  }
  return EXIT.success;
}

/** Without the flag, the port after which scrapers look; where another worker has it, any free one. */
async function startHealth(
  { health }: Worker,
  { port, host }: { readonly port: number | undefined; readonly host: string | undefined },
): Promise<HealthServer> {
  const serve = (at: number) => serveHealth({ health, port: at, ...(host !== undefined && { host }) });
  if (port !== undefined) return serve(port);
  try {
    return await serve(HEALTH_PORT);
  } catch {
    return serve(0);
  }
}

/** The default export of the module. Its own errors are passed on as they are. */
async function load(module: string, world: World): Promise<WorkerModule> {
  const path = resolve(world.cwd, module);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UsageError(
      `There is no file ${path}. A worker needs a JavaScript module: turnwright worker ./agent.js`,
    );
  const { default: described } = await imported(path);
  if (typeof described !== 'object' || described === null)
    throw new UsageError(
      `${path} has no default export that describes a worker. For example: export default { options: { permissionMode: 'acceptEdits' } };`,
    );
  const strange = Object.keys(described).filter(
    (name) => !(MODULE_FIELDS as readonly string[]).includes(name),
  );
  if (strange.length > 0)
    throw new UsageError(
      `${path}: a worker's module has no "${strange[0]}". It may have: ${MODULE_FIELDS.join(', ')}.`,
    );
  return described;
}

async function imported(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  } catch (cause) {
    const message = `The worker's module ${path} cannot be loaded: ${errorText(cause)}`;
    throw new TurnwrightError('invalid_option', message, { cause });
  }
}
