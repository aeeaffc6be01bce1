/** How the model is asked, whatever about. */
import type { ModelInfo } from '../../protocol/model/model.ts';

export interface ModelOptions {
  /**
   * Requests at high speed and a higher price, of models that offer it (Opus 4.8 and newer). A rate limit that lasts
   * longer than 20 s suspends it for ten minutes at least. `disabled_by_env`: off, and the messages say why. Default
   * false.
   */
  fastMode?: boolean | 'disabled_by_env' | undefined;
  /** Retries of one request; default 10. */
  maxRetries?: number | undefined;
  /** Retries of one request while nothing has ever answered at the endpoint; default 4. Not with `persistentRetry`. */
  unreachedRetries?: number | undefined;
  /** What was learned about models elsewhere (settings): overrides sizes and prices by model id. */
  modelOverrides?: Readonly<Record<string, Partial<Omit<ModelInfo, 'id'>>>> | undefined;
  /** Mark requests for the prompt cache. Default true. */
  promptCaching?: boolean | undefined;
  /** Further fields of the body of each request; one that the request has as well takes its place. Default none. */
  extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** How long cached prompts live after their last use. Default `5m`; `1h` costs more to write. */
  promptCacheTtl?: '5m' | '1h' | undefined;
}
