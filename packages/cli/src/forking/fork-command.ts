/** `turnwright fork [session] --at <step>`: goes on from a step in several ways, and compares their ends. */
import { writeFile } from 'node:fs/promises';
import { absolutePath, homeDirectory } from '@turnwright/base/files/home-path.ts';
import { explainSession, type ForksAtStep, forkAt, getSessionInfo } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { checkFlags } from '../flags/check-flags.ts';
import type { ForkInvocation, ForkVariant } from '../flags/fork-flags.ts';
import { modelSource, notConfigured } from '../run/configured.ts';
import { UsageError } from '../usage-error.ts';
import { totals } from '../words/summary.ts';
import type { World } from '../world.ts';
import { type RanVariant, runVariants } from './run-variants.ts';
import { describeVariantEnd, findDifference, variantsText } from './variants-table.ts';

export async function runForkCommand(world: World, call: ForkInvocation): Promise<ExitCode> {
  const { cwd, env } = world;
  for (const { flags } of call.variants) checkFlags(flags, world);
  const [first] = call.variants as readonly [ForkVariant];
  if ((await modelSource(world, first.flags)) === undefined) {
    // A session that is not there is said first: no key would help.
    await explainSession(call.session, { cwd, env });
    throw new UsageError(await notConfigured(world));
  }
  const inPlace = (path: string) => absolutePath(path, { cwd, home: homeDirectory(env) });
  const stopped = new AbortController();
  const detach = world.signals.attach({ interrupt: () => stopped.abort(), close: () => stopped.abort() });
  const isFirst = /^\d+\.1$|^1$/.test(call.at.trim());
  const forks = await forkAt(call.session, {
    at: call.at,
    cwd,
    env,
    signal: stopped.signal,
    inPlace: call.inPlace,
    forks: call.variants.map(({ name, prompt }) => ({
      name,
      replacesPrompt: isFirst && prompt !== undefined,
    })),
    ...(call.copies !== undefined && { copiesIn: inPlace(call.copies) }),
  }).finally(detach);
  const folder = (await getSessionInfo(forks.sessionId, { env }))?.cwd ?? cwd;
  const { maxBudgetUsd, variants } = call;
  const ran = await runVariants(world, {
    variants,
    forks: forks.forks,
    folder,
    shareUsd: maxBudgetUsd === undefined ? undefined : maxBudgetUsd / variants.length,
    isTold: !call.json && (call.verbose || world.stderr.isTTY === true),
  });
  const diffs = ran.map(({ name, difference }) => `# ${name}\n${difference?.text ?? ''}`).join('\n');
  if (call.diffFile !== undefined) await writeFile(inPlace(call.diffFile), diffs);
  if (call.json)
    await world.out.write(`${JSON.stringify(asJson(forks, ran, folder, call.diff), undefined, 2)}\n`);
  else {
    await world.out.write(`${variantsText(forks, ran, { folder })}\n`);
    if (call.diff) await world.out.write(`\n${diffs}`);
  }
  if (world.signals.interrupted) return EXIT.interrupted;
  return ran.every((each) => describeVariantEnd(each).success) ? EXIT.success : EXIT.error;
}

function asJson(forks: ForksAtStep, ran: readonly RanVariant[], folder: string, withDiff: boolean) {
  const { sessionId, step, model, original, notes, left } = forks;
  return {
    session_id: sessionId,
    step,
    model,
    notes,
    left,
    original: {
      turns: original.steps.length,
      cost_usd: original.costUsd,
      duration_ms: original.durationMs,
      terminal_reason: original.terminal ?? null,
    },
    variants: ran.map((each) => {
      const { name, fork, result, course, difference, removed } = each;
      const { success, sentence } = describeVariantEnd(each);
      const used = result === undefined ? undefined : totals(result);
      return {
        name,
        session_id: fork.sessionId,
        folder: removed ? null : fork.cwd,
        ...(fork.keptIn !== undefined && { kept_in: fork.keptIn }),
        success,
        ended: sentence,
        terminal_reason: result?.terminal_reason ?? null,
        result: result?.subtype === 'success' ? result.result : null,
        denied: result?.permission_denials ?? [],
        turns: course.steps.length,
        cost_usd: result?.total_cost_usd ?? course.costUsd,
        duration_ms: course.durationMs,
        input_tokens: used?.input ?? course.inputTokens,
        cached_tokens: used?.cacheRead ?? course.cachedTokens,
        output_tokens: used?.output ?? course.outputTokens,
        first_difference: findDifference(each, forks, { folder }) ?? null,
        files: difference?.files ?? null,
        insertions: difference?.insertions ?? null,
        deletions: difference?.deletions ?? null,
        ...(withDiff && { diff: difference?.text ?? null }),
      };
    }),
  };
}
