/**
 * With `askAboveUsd`, a person is asked before a run goes on whose cost will probably leave what was said:
 * before its first request, and later whenever the range to its end has moved. Without a person, the run ends
 * as one does whose budget is spent.
 */
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { Reservation, SpendGuard, SpendNeed, SpendRefusal } from '../../protocol/model/spend-guard.ts';
import type { Ids } from '../../protocol/ports.ts';
import { describeForecast, usdText } from '../../protocol/session/forecast.ts';
import type { CanUseTool } from '../../protocol/tools/can-use-tool.ts';
import { refuseSpending } from './call-prices.ts';
import type { RunCosts } from './run-costs.ts';

interface AskingPorts {
  readonly ids: Ids;
  readonly canUseTool: CanUseTool | undefined;
}

type Signal = Pick<Life, 'signal'>;

/** Choices of the question. */
const GO_ON = 'Go on';
const STOP = 'Stop';

export class AskingBudget implements SpendGuard {
  readonly #aboveUsd: number;
  readonly #runs: RunCosts;
  readonly #ports: AskingPorts;
  /** USD that the person has agreed to, in this run. */
  #agreedUsd = 0;
  #run = 0;
  /** Calls that come together are one question. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(aboveUsd: number, runs: RunCosts, ports: AskingPorts) {
    this.#aboveUsd = aboveUsd;
    this.#runs = runs;
    this.#ports = ports;
  }

  reserve({ maxTokens }: SpendNeed, life: Signal): Promise<Reservation | SpendRefusal> {
    const verdict = this.#last.then(() => this.#verdict(maxTokens, life));
    this.#last = verdict.catch(() => undefined);
    return verdict;
  }

  async #verdict(maxTokens: number, { signal }: Signal): Promise<Reservation | SpendRefusal> {
    if (signal.aborted) return { kind: 'aborted' };
    if (this.#run !== this.#runs.starts) {
      this.#run = this.#runs.starts;
      this.#agreedUsd = this.#aboveUsd;
    }
    const forecast = await this.#runs.forecast();
    const { spentUsd } = this.#runs;
    const probableUsd = Math.max(spentUsd, forecast.kind === 'range' ? forecast.highUsd : 0);
    if (probableUsd <= this.#agreedUsd) return { kind: 'reserved', maxTokens, settle: () => undefined };
    const said = `${describeForecast(forecast, spentUsd)} You wanted to be asked above $${usdText(this.#agreedUsd)}.`;
    const answer = await this.#ask(`${said} Go on?`, signal);
    if (signal.aborted) return { kind: 'aborted' };
    if (answer !== 'go on')
      return refuseSpending(`${said} ${answer === 'stop' ? 'You chose to stop.' : answer}`);
    // Without a range, the next question comes when it has cost twice as much.
    this.#agreedUsd = forecast.kind === 'range' ? probableUsd : 2 * probableUsd;
    return { kind: 'reserved', maxTokens, settle: () => undefined };
  }

  /** Otherwise why there is no answer, as a sentence. */
  async #ask(question: string, signal: AbortSignal): Promise<'go on' | 'stop' | (string & {})> {
    const { canUseTool, ids } = this.#ports;
    if (canUseTool === undefined)
      return 'Nobody can be asked here: raise askAboveUsd (--ask-above) to go on.';
    const askId = ids.uuid();
    const options = [
      { label: GO_ON, description: 'The run goes on.' },
      { label: STOP, description: 'It ends before its next request.' },
    ];
    const input = { questions: [{ question, header: 'Cost', options, multiSelect: false }] };
    try {
      const answer = await canUseTool('AskUserQuestion', input, {
        signal,
        askId,
        requestId: askId,
        toolUseID: askId,
        requiresUserInteraction: true,
        title: question,
      });
      if (answer?.behavior !== 'allow') return 'stop';
      const answers = answer.updatedInput?.['answers'] as Readonly<Record<string, unknown>> | undefined;
      return answers?.[question] === GO_ON ? 'go on' : 'stop';
    } catch (error) {
      return `The question was not answered: ${errorText(error)}`;
    }
  }
}
