/**
 * The body of a request: what recurs first, then what varies, so that a request's prefix recurs in the next
 * one (L3).
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { ModelInfo, ModelRequest } from '../../protocol/model/model.ts';
import type { EffortLevel, WireTool } from '../../protocol/model/wire.ts';
import { wireModel } from '../catalog/model-info.ts';
import { wireJson } from '../request/message-json.ts';
import { wireEffort, wireMaxTokens } from '../request/thinking-options.ts';
import type { Fields } from './fields.ts';
import type { Quirks } from './quirks.ts';

interface BodyInput {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
  /** Lowered by an earlier error of the API. */
  readonly maxTokens: number | undefined;
  readonly quirks: Pick<Quirks, 'has'>;
  /** JSON of the messages or items. */
  readonly messages: readonly string[];
  /** Further fields of the body; they override fields of the request. */
  readonly extraBody: Fields | undefined;
}

interface OpenAiBody {
  readonly json: string;
  readonly maxTokens: number;
}

/** The smallest limit that the Responses API accepts. */
const LEAST_OUTPUT = 16;

export function chatBody(input: BodyInput): OpenAiBody {
  const { request, info, quirks, extraBody } = input;
  const maxTokens = wireMaxTokens(input.maxTokens ?? request.maxTokens, info);
  const effort = pickEffort(request, info, quirks);
  const system = systemText(request.system);
  const messages = [
    ...(system === '' ? [] : [wireJson({ role: 'system', content: system })]),
    ...input.messages,
  ];
  const varying = {
    [quirks.has('max_completion_tokens') ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(request.outputSchema !== undefined && {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'answer',
          strict: isStrict(request.outputSchema),
          schema: request.outputSchema,
        },
      },
    }),
    ...(request.stream && !quirks.has('no_stream_options') && { stream_options: { include_usage: true } }),
    stream: request.stream,
    ...extraBody,
  };
  const tools = chatTools(request.tools);
  const json = `{"model":${JSON.stringify(wireModel(request.model))},${tools}"messages":[${messages.join(',')}],${wireJson(varying).slice(1)}`;
  return { json, maxTokens };
}

export function responsesBody(input: BodyInput): OpenAiBody {
  const { request, info, quirks, extraBody } = input;
  const maxTokens = Math.max(LEAST_OUTPUT, wireMaxTokens(input.maxTokens ?? request.maxTokens, info));
  const system = systemText(request.system);
  const reasoning = buildReasoning(request, info, quirks);
  const varying = {
    max_output_tokens: maxTokens,
    ...(reasoning !== undefined && { reasoning }),
    ...(request.outputSchema !== undefined && {
      text: {
        format: {
          type: 'json_schema',
          name: 'answer',
          strict: isStrict(request.outputSchema),
          schema: request.outputSchema,
        },
      },
    }),
    // Nothing is kept by the provider, so reasoning comes back encrypted.
    ...(!quirks.has('no_store') && { store: false }),
    ...(!quirks.has('no_encrypted_reasoning') && { include: ['reasoning.encrypted_content'] }),
    ...(!quirks.has('no_cache_key') && request.cache !== false && { prompt_cache_key: request.sessionId }),
    stream: request.stream,
    ...extraBody,
  };
  const instructions = system === '' ? '' : `"instructions":${wireJson(system)},`;
  const json = `{"model":${JSON.stringify(wireModel(request.model))},${instructions}${responsesTools(request.tools)}"input":[${input.messages.join(',')}],${wireJson(varying).slice(1)}`;
  return { json, maxTokens };
}

function systemText(system: readonly string[]): string {
  return system.filter((text) => text.trim() !== '').join('\n\n');
}

const chatTools = oncePer((tools: readonly WireTool[]) =>
  toolsJson(
    tools.map((tool) => ({ type: 'function', function: { ...named(tool), parameters: tool.input_schema } })),
  ),
);

const responsesTools = oncePer((tools: readonly WireTool[]) =>
  toolsJson(
    tools.map((tool) => ({ type: 'function', ...named(tool), parameters: tool.input_schema, strict: false })),
  ),
);

function toolsJson(tools: readonly unknown[]): string {
  return tools.length === 0 ? '' : `"tools":${wireJson(tools)},`;
}

function named({ name, description }: WireTool): Fields {
  return { name, ...(description !== undefined && { description }) };
}

/** An explicit effort is sent to any model; a default only to one that is known to have efforts. */
function pickEffort(request: ModelRequest, info: ModelInfo, quirks: Pick<Quirks, 'has'>): string | undefined {
  const effort: EffortLevel | undefined = request.effort ?? wireEffort(request, info);
  if (effort === undefined || quirks.has('no_effort') || info.supportsThinking === false) return undefined;
  if (effort !== 'xhigh' && effort !== 'max') return effort;
  return quirks.has('effort_high_at_most') ? 'high' : 'xhigh';
}

function buildReasoning(
  request: ModelRequest,
  info: ModelInfo,
  quirks: Pick<Quirks, 'has'>,
): Fields | undefined {
  const effort = pickEffort(request, info, quirks);
  const shown = request.thinking !== undefined && request.thinking.type !== 'disabled';
  const summary = shown && !quirks.has('no_reasoning_summary') && !quirks.has('no_effort');
  if (effort === undefined && !summary) return undefined;
  return { ...(effort !== undefined && { effort }), ...(summary && { summary: 'auto' }) };
}

/** OpenAI's strict mode wants every property required and no others. */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isStrict);
  const fields = schema as Fields;
  const properties = fields['properties'];
  if (typeof properties === 'object' && properties !== null) {
    const required = Array.isArray(fields['required']) ? fields['required'] : [];
    const all = Object.keys(properties).every((name) => required.includes(name));
    if (!all || fields['additionalProperties'] !== false) return false;
  } else if (fields['type'] === 'object') return false;
  return Object.values(fields).every(isStrict);
}
