/**
 * The APIs in which common servers describe their models, as their documentation has them: Ollama, llama.cpp,
 * LM Studio and LiteLLM. They say what a list of models leaves out.
 */
import type { Asked } from '../http/ask-once.ts';
import { fieldOf } from '../http/request-json.ts';
import {
  type Described,
  flagIn,
  hasWord,
  keepKnownFacts,
  pricePerToken,
  tokensIn,
} from './described-models.ts';

/** undefined: the server is another one, or does not know the model. */
type ServerApi = (model: string, asked: Asked) => Promise<Described | undefined>;

/**
 * The servers that may have written this entry of a list. One that tells nothing of its author is asked only
 * within a network of one's own: the API of a vendor is none of these.
 */
export function guessServerApis(entry: unknown, { hostname }: URL): readonly ServerApi[] {
  switch (fieldOf(entry, 'owned_by')) {
    case 'library':
      return [ollama];
    case 'llamacpp':
      return [llamaCpp];
    case 'organization_owner':
      return [lmStudio];
    default:
      if (fieldOf(entry, 'created') === LITELLM_CREATED) return [liteLlm];
      return isOwnNetwork(hostname) ? [ollama, lmStudio, llamaCpp, liteLlm] : [];
  }
}

/** LiteLLM gives each model this date. */
const LITELLM_CREATED = 1_677_610_602;

function isOwnNetwork(hostname: string): boolean {
  return (
    /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      hostname,
    ) ||
    /^\[(?:::1|f[cd]|fe80)/.test(hostname) ||
    /^[^.]+$|\.(?:local|lan|internal|home\.arpa|localhost)$/.test(hostname)
  );
}

/** https://docs.ollama.com/api: what the model has, and how it is loaded. */
const ollama: ServerApi = async (model, asked) => {
  const [shown, running] = await Promise.all([
    asked.json('/api/show', JSON.stringify({ model })),
    asked.json('/api/ps'),
  ]);
  const abilities = fieldOf(shown, 'capabilities');
  const largest = architectureTokens(fieldOf(shown, 'model_info'), 'context_length');
  if (abilities === undefined && largest === undefined) return undefined;
  const loaded = entryNamed(fieldOf(running, 'models'), ['model', 'name'], [model, `${model}:latest`]);
  const given =
    tokensIn(loaded, ['context_length']) ?? parameterTokens(fieldOf(shown, 'parameters'), 'num_ctx');
  const contextWindow =
    given === undefined || largest === undefined ? (given ?? largest) : Math.min(given, largest);
  // The stub of a model that runs elsewhere lists fewer abilities than that model has.
  const isWhole = hasWord(abilities, 'completion') === true;
  const can = (ability: string) => (isWhole ? hasWord(abilities, ability) : undefined);
  const facts = keepKnownFacts({
    contextWindow,
    supportsImages: can('vision'),
    supportsTools: can('tools'),
    supportsThinking: can('thinking'),
  });
  const isElsewhere = typeof fieldOf(shown, 'remote_host') === 'string';
  return {
    facts: facts ?? {},
    isFinal: given !== undefined || isElsewhere,
    by: '/api/show of Ollama',
    largest,
    enlarge: 'Start Ollama with OLLAMA_CONTEXT_LENGTH=64000, or give the model a num_ctx.',
  };
};

/** The window of the server, which may be smaller than that of the model. */
const llamaCpp: ServerApi = async (model, asked) => {
  const general = await asked.json('/props');
  if (general === undefined) return undefined;
  // A server of several models answers for one of them, without loading it.
  const props =
    loadedIn(general) ??
    loadedIn(await asked.json(`/props?model=${encodeURIComponent(model)}&autoload=false`));
  const list = fieldOf(await asked.listJson('/models'), 'data');
  if (props === undefined) return undefined;
  return {
    facts:
      keepKnownFacts({
        contextWindow: tokensIn(fieldOf(props, 'default_generation_settings'), ['n_ctx']),
        supportsImages: flagIn(fieldOf(props, 'modalities'), 'vision'),
      }) ?? {},
    isFinal: true,
    by: '/props of llama.cpp',
    largest: tokensIn(fieldOf(entryNamed(list, ['id'], [model]) ?? takeOnly(list), 'meta'), ['n_ctx_train']),
    enlarge: 'Start llama-server with a larger --ctx-size.',
  };
};

/** Properties of a model that is loaded. */
function loadedIn(props: unknown): unknown {
  return tokensIn(fieldOf(props, 'default_generation_settings'), ['n_ctx']) === undefined ? undefined : props;
}

/** The REST API since 0.4, else the one before it. */
const lmStudio: ServerApi = async (model, asked) => {
  const [v1, v0] = await Promise.all([asked.json('/api/v1/models'), asked.json('/api/v0/models')]);
  const models = fieldOf(v1, 'models');
  const entry = entryNamed(models, ['key', 'selected_variant'], [model]) ?? entryOfInstance(models, model);
  const older = entryNamed(fieldOf(v0, 'data'), ['id'], [model]);
  if (entry === undefined && older === undefined) return undefined;
  const abilities = fieldOf(entry, 'capabilities');
  const kind = fieldOf(older, 'type');
  const loaded =
    tokensIn(fieldOf(findInstance(entry, model), 'config'), ['context_length']) ??
    tokensIn(older, ['loaded_context_length']);
  const largest = tokensIn(entry, ['max_context_length']) ?? tokensIn(older, ['max_context_length']);
  return {
    facts:
      keepKnownFacts({
        contextWindow: loaded ?? largest,
        supportsImages:
          flagIn(abilities, 'vision') ?? (kind === 'llm' || kind === 'vlm' ? kind === 'vlm' : undefined),
        // Any model gets tools there, by a prompt of the server if it was not trained for them.
        supportsThinking: fieldOf(abilities, 'reasoning') === undefined ? undefined : true,
      }) ?? {},
    isFinal: loaded !== undefined,
    by: 'the REST API of LM Studio',
    largest,
    enlarge: 'Load it in LM Studio with a larger context length.',
  };
};

function entryOfInstance(models: unknown, model: string): unknown {
  return Array.isArray(models) ? models.find((entry) => findInstance(entry, model) !== undefined) : undefined;
}

/** The loaded copy of a model with this name, else any copy of a model with this key. */
function findInstance(entry: unknown, model: string): unknown {
  const instances = fieldOf(entry, 'loaded_instances');
  if (!Array.isArray(instances)) return undefined;
  return (
    entryNamed(instances, ['id'], [model]) ?? (fieldOf(entry, 'key') === model ? instances[0] : undefined)
  );
}

function takeOnly(entries: unknown): unknown {
  return Array.isArray(entries) && entries.length === 1 ? entries[0] : undefined;
}

/** Several deployments may have one name: what each of them can is certain. */
const liteLlm: ServerApi = async (model, asked) => {
  const entries = fieldOf(await asked.json('/model/info'), 'data');
  if (!Array.isArray(entries)) return undefined;
  const infos = entries
    .filter((entry) => fieldOf(entry, 'model_name') === model)
    .map((entry) => fieldOf(entry, 'model_info'));
  if (infos.length === 0) return undefined;
  const least = (name: string) => {
    const sizes = infos.flatMap((info) => tokensIn(info, [name]) ?? []);
    return sizes.length === 0 ? undefined : Math.min(...sizes);
  };
  const all = (name: string) => {
    const flags = infos.map((info) => flagIn(info, name));
    if (flags.includes(false)) return false;
    return flags.includes(undefined) ? undefined : true;
  };
  const [info] = infos;
  const usd = (name: string) => {
    const price = fieldOf(info, name);
    return typeof price === 'number' ? price : undefined;
  };
  const price = pricePerToken({
    input: usd('input_cost_per_token'),
    output: usd('output_cost_per_token'),
    cacheRead: usd('cache_read_input_token_cost'),
    cacheWrite: usd('cache_creation_input_token_cost'),
  });
  return {
    facts:
      keepKnownFacts({
        contextWindow: least('max_input_tokens'),
        maxOutputTokens: least('max_output_tokens'),
        supportsImages: all('supports_vision'),
        supportsTools: all('supports_function_calling'),
        supportsThinking: all('supports_reasoning'),
        // Models without a price are listed with zero.
        price: infos.length === 1 && price !== undefined && price.output > 0 ? price : undefined,
      }) ?? {},
    isFinal: true,
    by: '/model/info of LiteLLM',
  };
};

/** The first entry that has one of these names in one of these fields. */
function entryNamed(entries: unknown, fields: readonly string[], names: readonly string[]): unknown {
  if (!Array.isArray(entries)) return undefined;
  return entries.find((entry) => fields.some((field) => names.includes(String(fieldOf(entry, field)))));
}

/** `qwen3.context_length` of `{"general.architecture": "qwen3", …}`. */
function architectureTokens(info: unknown, field: string): number | undefined {
  return tokensIn(info, [`${String(fieldOf(info, 'general.architecture'))}.${field}`]);
}

/** Of the parameters that a model was made with: a name and a value on each line. */
function parameterTokens(text: unknown, name: string): number | undefined {
  if (typeof text !== 'string') return undefined;
  const value = new RegExp(`^\\s*${name}\\s+(\\d+)\\s*$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : tokensIn({ value: Number(value) }, ['value']);
}
