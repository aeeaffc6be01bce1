/** Providers of models: what is known of each, and what a wire of one's own is written with. */

export {
  DEFAULT_PROVIDER,
  NAMED_PROVIDERS,
  type NamedProvider,
  PROVIDER_TYPES,
  type ProviderFacts,
  type ProviderType,
  providerFacts,
} from '../protocol/model/provider.ts';
export type { ProviderConfig } from '../protocol/model/provider-config.ts';
export type {
  AnswerSource,
  Attempt,
  AttemptEnd,
  AttemptFacts,
  Batch,
  ConversationEffort,
  ConversationTurn,
  Credential,
  GapTrial,
  HttpHead,
  OwnWire,
  PreparedRequest,
  ResponseHeaders,
  SourcedAnswer,
  StreamTimeouts,
  Wire,
  WireInput,
  WireKit,
  WirePorts,
} from '../protocol/model/provider-wire.ts';
