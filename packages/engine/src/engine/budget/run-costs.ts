/** The running submission's own cost, and the history that it becomes a line of when it has ended. */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { CostForecast, FinishedRun } from '../../protocol/session/forecast.ts';
import { describeTerminal } from '../../protocol/session/terminal.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { UsageLedger } from './usage-ledger.ts';

type StartedRun = Pick<FinishedRun, 'agent' | 'model' | 'tokens'> & {
  readonly ledger: Pick<UsageLedger, 'spending' | 'spentUsd'>;
};

interface RunPorts {
  /** Folder of the session's files; undefined: no run is kept. */
  readonly directory: string | undefined;
  readonly files: PersistentFiles;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export class RunCosts {
  readonly #ports: RunPorts;
  #run: StartedRun | undefined;
  #spentBefore = 0;
  #history: Promise<readonly FinishedRun[]> | undefined;
  #starts = 0;

  constructor(ports: RunPorts) {
    this.#ports = ports;
  }

  start(run: StartedRun): void {
    this.#run = run;
    this.#spentBefore = run.ledger.spentUsd();
    this.#starts += 1;
  }

  /** How many runs have been started: tells one from the next. */
  get starts(): number {
    return this.#starts;
  }

  /** USD of the run so far, agents and helpers included. */
  get spentUsd(): number {
    return this.#run === undefined ? 0 : this.#run.ledger.spentUsd() - this.#spentBefore;
  }

  /** Where it will end, at what it has cost so far. The history is read by the first call. */
  async forecast(): Promise<CostForecast> {
    const { directory, files } = this.#ports;
    if (this.#run === undefined || directory === undefined) return { kind: 'unknown', runs: 0, dearer: 0 };
    const { readRuns } = await import('../../session/forecast/run-history.ts');
    const { forecastCost } = await import('../../session/forecast/forecast-cost.ts');
    this.#history ??= readRuns(files, directory);
    return forecastCost(await this.#history, { ...this.#run, spentUsd: this.spentUsd });
  }

  /** The run is kept; resolves when it is written, and also when it cannot be. undefined: it is not kept. */
  end(result: SDKResultMessage): Promise<void> | undefined {
    const { directory } = this.#ports;
    const { spentUsd } = this;
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined || directory === undefined || spentUsd <= 0) return undefined;
    // What was cut off, or lacks a part of its cost, says nothing about runs that are not.
    if (describeTerminal(result.terminal_reason)?.isAborted === true) return undefined;
    if (!run.ledger.spending().every(({ isPriced }) => isPriced)) return undefined;
    const { model, agent, tokens } = run;
    return this.#keep(directory, { at: this.#ports.clock.nowMs(), model, agent, tokens, usd: spentUsd });
  }

  async #keep(directory: string, run: FinishedRun): Promise<void> {
    try {
      const { addRun } = await import('../../session/forecast/run-history.ts');
      await addRun(this.#ports.files, directory, run);
      this.#history = undefined;
    } catch {
      // A folder that cannot be written has no history.
    }
  }
}
