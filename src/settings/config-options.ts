import type { BaseOptions } from '../options/options.ts';

/** What the resolver goes by: the options, and what the engine's own configuration says of its model. */
export interface ConfigOptions extends BaseOptions {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
}
