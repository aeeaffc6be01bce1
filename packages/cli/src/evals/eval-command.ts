/**
 * `turnwright eval <cases…>`: runs cases by variants, prints how they did, and compares that with
 * thresholds.
 */
import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Options } from '@turnwright/engine';
import type { EndedRun, EvalReport, Variant } from '@turnwright/evals';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { EvalInvocation, NamedSettings } from '../flags/eval-flags.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { modelSource, notConfigured } from '../run/configured.ts';
import { optionsFrom } from '../run/run-options.ts';
import { UsageError } from '../usage-error.ts';
import { counted, dollars, duration } from '../words/units.ts';
import { countColumns, type World } from '../world.ts';
import { evalTable } from './eval-table.ts';

type Flags = EvalInvocation['flags'];

const MOST_COLUMNS = 80;

export async function runEvalCommand(
  world: World,
  { cases: paths, flags }: EvalInvocation,
): Promise<ExitCode> {
  const { cwd } = world;
  const { readCases, runEval } = await import('@turnwright/evals');
  const cases = await readCases(paths, cwd);
  const variants = await makeVariants(world, flags);
  const folder = resolve(cwd, flags.to ?? join('.turnwright-evals', basename(resolve(cwd, paths[0] ?? '.'))));
  const shown = relative(cwd, folder) || '.';
  if (flags.again === true) await setAside(folder);
  const stop = new AbortController();
  const total = cases.length * variants.length * flags.runs;
  const line = (text: string) => world.err.write(`${visible(text)}\n`).catch(() => undefined);
  await line(
    `${counted(cases.length, 'case')} × ${counted(variants.length, 'variant')} × ${counted(flags.runs, 'run')}; results in ${shown}`,
  );
  let ended: Promise<unknown> = Promise.resolve();
  const detach = world.signals.attach(
    {
      interrupt: () => stop.abort(),
      close: () => {
        stop.abort();
        return ended;
      },
    },
    `— left before the end; what has ended is kept in ${shown}, and the same command goes on`,
  );
  let report: EvalReport;
  try {
    const running = runEval({
      cases,
      variants,
      runs: flags.runs,
      concurrency: flags.concurrency,
      maxBudgetUsd: flags.maxBudgetUsd,
      folder,
      env: world.env,
      isReplayed: flags.replayed === true,
      signal: stop.signal,
      onEnded: (run, left) => void line(progress(run, total - left, total)),
    });
    ended = running.catch(() => undefined);
    report = await running;
  } finally {
    detach();
  }
  if (world.signals.leaving) return EXIT.interrupted;
  // The terminal has written ^C.
  if (world.signals.interrupted) await line('');
  const missed = findMissed(report, flags);
  const columns = Math.min(countColumns(world.stdout), MOST_COLUMNS);
  const text =
    flags.json === true
      ? JSON.stringify({ folder, ...report, thresholds: missed }, undefined, 2)
      : visible([...evalTable(report, columns), ...missed.map((sentence) => `✗ ${sentence}`)].join('\n'));
  await world.out.write(`${text}\n`);
  const { interrupted, noMoney } = report.missing;
  if (interrupted > 0)
    await line(
      `Interrupted: ${counted(report.runs.length, 'run')} of ${total} ${report.runs.length === 1 ? 'is' : 'are'} kept in ${shown}. The same command goes on with the others.`,
    );
  if (noMoney > 0)
    await line(
      `The budget is spent: ${counted(noMoney, 'run')} of ${total} not run, or not to the end. The same command with a larger --max-budget-usd runs them.`,
    );
  if (world.signals.interrupted) return EXIT.interrupted;
  if (missed.length > 0) return EXIT.error;
  return noMoney > 0 ? EXIT.pending : EXIT.success;
}

/** Each model with each settings. */
async function makeVariants(world: World, flags: Flags): Promise<readonly Variant[]> {
  const { createHash } = await import('node:crypto');
  const models: readonly (string | undefined)[] = flags.model.length > 0 ? flags.model : [undefined];
  const settings: readonly (NamedSettings | undefined)[] =
    flags.settings.length > 0 ? flags.settings : [undefined];
  const said = new Set<string>();
  const warn = (text: string) => {
    if (!said.has(text)) void world.err.write(`turnwright: ${visible(text)}\n`).catch(() => undefined);
    said.add(text);
  };
  const variants: Variant[] = [];
  for (const model of models)
    for (const named of settings) {
      const given: Options = {
        ...(model !== undefined && { model }),
        ...(named !== undefined && { settings: named.settings }),
        ...(flags.maxTurns !== undefined && { maxTurns: flags.maxTurns }),
      };
      const run: RunFlags = {
        outputFormat: 'text',
        inputFormat: 'text',
        options: given,
        ...(flags.trustProject === true && { trustProject: true }),
      };
      if (flags.replayed !== true && (await modelSource(world, run)) === undefined)
        throw new UsageError(await notConfigured(world));
      const { cwd, env } = world;
      const options = optionsFrom(run, { cwd, env, partials: false, canUseTool: undefined, warn });
      const name = [model, named?.name].filter((part) => part !== undefined).join(', ');
      const content = JSON.stringify([given, flags.trustProject === true]);
      variants.push({
        name: name === '' ? 'default' : name,
        hash: createHash('sha256').update(content).digest('hex').slice(0, 16),
        // A run that is not kept could not be explained.
        options: { ...options, engine: { ...options.engine, mayGoUnkept: false } },
      });
    }
  return variants;
}

/** Under the first free number, so that nothing is lost. */
async function setAside(folder: string): Promise<void> {
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  if (!(await isThere(folder))) return;
  let number = 1;
  const name = () => join(dirname(folder), `${basename(folder)}.${number}`);
  while (await isThere(name())) number += 1;
  await rename(folder, name());
}

const MARKS = { passed: '✓', failed: '✗', no_money: '·' } as const;

function progress(run: EndedRun, at: number, total: number): string {
  const { outcome, reason, costUsd, judgeUsd, durationMs } = run;
  const why = outcome === 'no_money' ? 'not run: budget' : reason;
  return `${MARKS[outcome]} ${at}/${total} ${run.case}, ${run.variant}, run ${run.run}: ${why}, ${dollars(costUsd + judgeUsd)}, ${duration(durationMs)}`;
}

/** A sentence for each variant and threshold that it does not meet. */
function findMissed({ variants }: EvalReport, flags: Flags): readonly string[] {
  const { minPassRate, maxCostPerRun, maxTurnsPerRun } = flags;
  return variants.flatMap(({ variant, passed, counted: n, costUsd, turns }) => [
    ...(minPassRate !== undefined && (n === 0 || passed / n < minPassRate)
      ? [`${variant} passes ${passed} of ${n}, less than ${minPassRate} (--min-pass-rate)`]
      : []),
    ...(maxCostPerRun !== undefined && costUsd.mean > maxCostPerRun
      ? [
          `${variant} costs ${dollars(costUsd.mean)} a run, more than ${dollars(maxCostPerRun)} (--max-cost-per-run)`,
        ]
      : []),
    ...(maxTurnsPerRun !== undefined && turns.mean > maxTurnsPerRun
      ? [
          `${variant} takes ${turns.mean.toFixed(1)} turns a run, more than ${maxTurnsPerRun} (--max-turns-per-run)`,
        ]
      : []),
  ]);
}
