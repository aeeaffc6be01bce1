/** Runs the variants of a fork side by side, each in its working copy, to their ends. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { query, type SDKResultMessage, type SessionCourse, type SessionFork } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { ForkVariant } from '../flags/fork-flags.ts';
import { optionsFrom } from '../run/run-options.ts';
import { isTrustedAlike } from '../run/trusted-alike.ts';
import { toolLabel } from '../words/tool-label.ts';
import type { World } from '../world.ts';

/** One variant after its end. */
export interface RanVariant {
  readonly name: string;
  readonly fork: SessionFork;
  /** Absent: it ended without a result, for the reason in `failure`. */
  readonly result: SDKResultMessage | undefined;
  readonly failure: string | undefined;
  readonly course: SessionCourse;
  readonly difference: Awaited<ReturnType<SessionFork['compare']>> | undefined;
  /** Its working copy was removed, because nothing was changed in it. */
  readonly removed: boolean;
}

interface VariantsRun {
  readonly variants: readonly ForkVariant[];
  readonly forks: readonly SessionFork[];
  /** The folder of the session that was forked, whose settings may be trusted. */
  readonly folder: string;
  /** For each variant; a call that could exceed it is not made. */
  readonly shareUsd: number | undefined;
  readonly isTold: boolean;
}

const NOTHING: SessionCourse = {
  steps: [],
  terminal: undefined,
  costUsd: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  durationMs: 0,
};

export async function runVariants(world: World, run: VariantsRun): Promise<readonly RanVariant[]> {
  const stops: { interrupt(): unknown; close(): unknown }[] = [];
  const all = (way: 'interrupt' | 'close') => Promise.allSettled(stops.map(async (each) => each[way]()));
  const places = run.forks.map(({ cwd }) => cwd).join(', ');
  const detach = world.signals.attach(
    { interrupt: () => all('interrupt'), close: () => all('close') },
    `— left before the end; the working copies stay: ${visible(places)}`,
  );
  try {
    return await Promise.all(
      run.variants.map(async (variant, at) => {
        const fork = run.forks[at] as SessionFork;
        const { result, failure } = await runOne(world, run, {
          variant,
          fork,
          onStart: (stop) => stops.push(stop),
        });
        if (run.isTold)
          await world.err
            .write(`${variant.name}  ${result === undefined ? 'did not run' : 'has ended'}\n`)
            .catch(() => undefined);
        const course = await fork.readCourse().catch(() => NOTHING);
        const difference = await fork.compare().catch(() => undefined);
        const { removed } = await fork.removeUnlessUsed();
        return { name: variant.name, fork, result, failure, course, difference, removed };
      }),
    );
  } finally {
    detach();
  }
}

interface OneRun {
  readonly variant: ForkVariant;
  readonly fork: SessionFork;
  onStart(stop: { interrupt(): unknown; close(): unknown }): void;
}

async function runOne(
  world: World,
  { folder, shareUsd, isTold }: VariantsRun,
  { variant, fork, onStart }: OneRun,
): Promise<Pick<RanVariant, 'result' | 'failure'>> {
  const { name, prompt, flags } = variant;
  const say = (line: string) => void world.err.write(`${name}  ${visible(line)}\n`).catch(() => undefined);
  let result: SDKResultMessage | undefined;
  try {
    const base = optionsFrom(flags, {
      cwd: fork.cwd,
      env: world.env,
      partials: false,
      canUseTool: undefined,
      warn: say,
    });
    const running = query({
      prompt,
      options: {
        ...base,
        ...fork.options,
        ...(shareUsd !== undefined && { maxBudgetUsd: shareUsd, strictBudget: true }),
        projectTrusted: base.projectTrusted === true || (await isTrustedAlike(folder, fork.cwd, world, say)),
      },
    });
    onStart({ interrupt: () => running.interrupt(), close: () => running.close() });
    try {
      for await (const message of running) {
        if (message.type === 'result') result = message;
        if (!isTold || message.type !== 'assistant' || message.parent_tool_use_id !== null) continue;
        for (const block of message.message.content)
          if (block.type === 'tool_use') say(toolLabel(block.name, block.input, fork.cwd));
      }
    } finally {
      await running.close();
    }
    return { result, failure: result === undefined ? 'it ended without a result' : undefined };
  } catch (error) {
    // After an error result the stream throws as well: the result has said it.
    return { result, failure: result === undefined ? errorText(error) : undefined };
  }
}
