/**
 * The model of a conversation, and how it is asked: as configured, unless it was changed while the session
 * runs.
 */
import type { LoopParams } from '../../loop/deps.ts';
import { thinkingFor, unsentThinking } from '../../model/request/thinking-options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Life } from '../../protocol/life.ts';
import type { CallModel, FastModeStatus, ModelInfo } from '../../protocol/model/model.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/model/wire.ts';
import type { QueryEngineConfig } from '../config.ts';
import { fastModeStatus } from './fast-mode-status.ts';

/** The model client, as a session uses it. */
export interface ModelPort {
  readonly call: CallModel;
  /** What is known by now. */
  infoOf(model: string): ModelInfo;
  /** Resolves when `infoOf` is as good as it gets, soon; undefined: it is already. Never rejects. */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** What became of fast requests so far. */
  fastMode(): FastModeStatus;
  /** An alias to its id, `undefined` to the default model. `planning`: in plan mode; default: false. */
  resolve(name: string | undefined, planning?: boolean): string;
  /** The provider that its name is qualified with; undefined: the session's own. */
  providerOf(name: string | undefined): string | undefined;
  /** ms that the model calls of this submission took together. */
  apiMs(): number;
  /** The same, of all submissions. */
  sessionApiMs(): number;
  startSubmission(): void;
  close(): void;
}

/** What of the thinking is shown; null: the provider's default, undefined: the configured value. */
type ThinkingDisplay = 'summarized' | 'omitted' | null | undefined;

/** What a running submission goes on with from its next request on. */
interface AdoptedModel {
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
}

type ModelConfig = Pick<
  QueryEngineConfig,
  'effort' | 'fallbackModel' | 'fastMode' | 'maxBudgetUsd' | 'model' | 'thinking'
>;

export class SessionModel {
  readonly client: ModelPort;
  readonly #config: ModelConfig;
  #name: string | undefined;
  #thinking: ThinkingConfig | undefined;
  #named: ReadonlySet<string> | undefined;
  #display: ThinkingDisplay;
  #effort: EffortLevel | undefined;
  #fastMode: ModelConfig['fastMode'];
  #adopted: AdoptedModel | undefined;
  /** Where a submission has gone on with another model than it began with. */
  #answering: string | undefined;
  #followed: string | undefined;
  #request: LoopParams | undefined;
  readonly #isPlanning: () => boolean;

  /** `thinking`: as another session has left it; default: as configured. */
  constructor(client: ModelPort, config: ModelConfig, isPlanning: () => boolean, thinking?: ThinkingConfig) {
    this.client = client;
    this.#config = config;
    this.#isPlanning = isPlanning;
    this.#name = config.model;
    this.#fastMode = config.fastMode;
    this.#thinking = thinking;
  }

  /**
   * The same client for an agent that is asked with this model; what was set for the session holds for it
   * too.
   */
  forAgent(model: string, effort: EffortLevel | undefined): SessionModel {
    const own = new SessionModel(this.client, this.#config, this.#isPlanning, this.#thinking);
    own.#name = model;
    own.#display = this.#display;
    own.#effort = effort ?? this.#effort;
    own.#fastMode = this.#fastMode;
    return own;
  }

  /** As it was configured or set, an alias perhaps; undefined: the default model. */
  get name(): string | undefined {
    return this.#name;
  }

  /** The id of the model that the next submission begins with; of some names it depends on the mode. */
  get current(): string {
    return this.inMode(this.#name);
  }

  /** What a record of a submission with this model says besides its id. */
  asChosen(model: string): { readonly modelName?: string; readonly effort?: EffortLevel } {
    const name = this.#name;
    const { effort } = this;
    return {
      ...(name !== undefined && name !== model && this.inMode(name) === model && { modelName: name }),
      ...(effort !== undefined && { effort }),
    };
  }

  /** The id of this name in the mode of now. */
  inMode(name: string | undefined): string {
    return this.client.resolve(name, this.#isPlanning());
  }

  /** The model that a submission begins with; until the next one begins, a change of mode may change it. */
  begin(): string {
    this.#followed = this.current;
    this.refuseUnpriced(this.#name);
    return this.#followed;
  }

  /** The id of the model that answers the running submission, or that answered the last one. */
  get inUse(): string {
    return this.#answering ?? this.#request?.model ?? this.current;
  }

  /** Head of the last submission's requests; a compaction asks with the same one. */
  get request(): LoopParams | undefined {
    return this.#request;
  }

  set request(params: LoopParams) {
    this.#request = params;
    this.#answering = undefined;
  }

  /** As it was set or configured; undefined: the model's own default. */
  get effort(): EffortLevel | undefined {
    return this.#effort ?? this.#config.effort;
  }

  /** From the next submission on; undefined: as configured. */
  set effort(effort: EffortLevel | undefined) {
    this.#effort = effort;
  }

  /** How hard the model thinks about its next answer; undefined: it knows of no effort. */
  get effortNow(): EffortLevel | undefined {
    return this.#adopted?.effort ?? this.effort ?? this.infoOf(this.current).defaultEffort;
  }

  /** As it was set while the session runs; undefined: as configured. */
  get thinking(): ThinkingConfig | undefined {
    return this.#thinking;
  }

  /** From the next submission on. */
  set thinking(thinking: ThinkingConfig | undefined) {
    this.#thinking = thinking;
  }

  set thinkingDisplay(display: ThinkingDisplay) {
    this.#display = display;
  }

  /** Requests go out fast, where the model offers that. */
  get isFast(): boolean {
    return this.#fastMode === true;
  }

  /** From the next submission on. */
  set fastMode(fastMode: ModelConfig['fastMode']) {
    this.#fastMode = fastMode;
  }

  resolve(name: string | undefined): string {
    return this.client.resolve(name);
  }

  infoOf(model: string): ModelInfo {
    return this.client.infoOf(model);
  }

  startSubmission(): void {
    this.#adopted = undefined;
    this.client.startSubmission();
  }

  /** Throws `unpriced_model` under a USD budget; the model is then as it was. */
  select(name: string | undefined): void {
    this.refuseUnpriced(name);
    this.#name = name;
    this.#followed = this.current;
  }

  /** The running submission goes on with it. Throws `unpriced_model`. */
  adopt({ model: name, effort }: AdoptedModel): void {
    const model = name === undefined ? undefined : this.inMode(name);
    if (name !== undefined) this.refuseUnpriced(name);
    const before = this.#adopted;
    this.#adopted = { model: model ?? before?.model, effort: effort ?? before?.effort };
  }

  /** What was adopted since this was called last; a change of mode counts where the model depends on it. */
  takeAdopted(): AdoptedModel | undefined {
    const { current } = this;
    if (this.#followed !== undefined && this.#followed !== current) {
      this.#followed = current;
      this.#adopted = { model: current, effort: this.#adopted?.effort };
    }
    const adopted = this.#adopted;
    this.#adopted = undefined;
    this.#answering = adopted?.model ?? this.#answering;
    return adopted;
  }

  /** How requests of this model think. */
  thinkingOf(model: string): ThinkingConfig | undefined {
    const chosen = this.#thinking ?? this.#config.thinking;
    const thinking = thinkingFor(chosen, model, this.infoOf(model));
    if (this.#display === undefined || thinking === undefined || thinking.type === 'disabled')
      return thinking;
    const { display: _, ...rest } = thinking;
    return this.#display === null ? rest : { ...rest, display: this.#display };
  }

  /** Options that requests of this model do not carry, one sentence each; each is named once in a session. */
  unsentOptions(model: string): readonly string[] {
    const info = this.infoOf(model);
    const thinking = unsentThinking(this.#thinking ?? this.#config.thinking, model, info);
    const isSlow = this.#fastMode === true && info.supportsFastMode !== true;
    const news = [
      ...(thinking === undefined ? [] : [thinking]),
      ...(isSlow ? [`${model} has no fast mode: its requests go out at normal speed.`] : []),
    ].filter((sentence) => this.#named?.has(sentence) !== true);
    if (news.length > 0) this.#named = new Set([...(this.#named ?? []), ...news]);
    return news;
  }

  /** The fallbacks in order, without the model itself. */
  fallbacksOf(model: string): readonly string[] {
    const names = (this.#config.fallbackModel ?? '').split(',').map((name) => name.trim());
    const models = names.filter((name) => name !== '').map((name) => this.resolve(name));
    return [...new Set(models)].filter((name) => name !== model);
  }

  /**
   * A budget cannot be kept with a model whose cost is unknown, in whichever mode it is asked: it is refused,
   * not counted as zero (F65).
   */
  refuseUnpriced(name: string | undefined): void {
    const { maxBudgetUsd } = this.#config;
    if (maxBudgetUsd === undefined) return;
    const models = [false, true].map((planning) => this.client.resolve(name, planning));
    const names = models.flatMap((model) => [model, ...this.fallbacksOf(model)]);
    const unpriced = names.find((name) => this.infoOf(name).price === undefined);
    if (unpriced === undefined) return;
    throw new TurnwrightError(
      'unpriced_model',
      `A budget of $${maxBudgetUsd} was set, but the price of ${unpriced} is not known. Give its price in settings, or limit turns or tokens instead.`,
    );
  }

  /** Whether requests of this model go out fast now, and if not, why. */
  fastModeStatus(model: string): FastModeStatus {
    const supported = this.infoOf(model).supportsFastMode === true;
    return fastModeStatus(this.#fastMode, supported, () => this.client.fastMode());
  }
}
