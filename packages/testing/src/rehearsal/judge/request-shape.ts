import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiError, invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** The types of the fields around the content; blocks are checked in `content-blocks`. */
export const requestShape: JudgeRule = {
  name: 'request-shape',
  check({ body }) {
    if (!('model' in body)) return invalidRequest('model: Field required');
    if (typeof body['model'] !== 'string') return invalidRequest('model: Input should be a valid string');
    return (
      checkMessages(body) ?? checkSystem(body['system']) ?? checkScalars(body) ?? checkTools(body['tools'])
    );
  },
};

function checkMessages(body: Readonly<Record<string, unknown>>): ApiError | undefined {
  const messages = body['messages'];
  if (messages === undefined) return invalidRequest('messages: Field required');
  if (!Array.isArray(messages)) return invalidRequest('messages: Input should be a valid list');
  if (messages.length === 0) return invalidRequest('messages: at least one message is required');
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (!isRecord(message)) return invalidRequest(`${at}: Input should be an object`);
    if (message['role'] === undefined) return invalidRequest(`${at}.role: Field required`);
    if (!['user', 'assistant', 'system'].includes(String(message['role']))) {
      return invalidRequest(
        `messages: Unexpected role "${String(message['role'])}". Allowed roles are "user" or "assistant"`,
      );
    }
    const content = message['content'];
    if (content === undefined) return invalidRequest(`${at}.content: Field required`);
    if (typeof content !== 'string' && !Array.isArray(content)) {
      return invalidRequest(`${at}.content: Input should be a valid list`);
    }
  }
  return undefined;
}

function checkSystem(system: unknown): ApiError | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return invalidRequest('system: Input should be a valid list');
  for (const [index, block] of system.entries()) {
    if (!isRecord(block)) return invalidRequest(`system.${index}: Input should be an object`);
    if (block['type'] !== 'text') return invalidRequest(`system.${index}.type: Input should be 'text'`);
    if (typeof block['text'] !== 'string') return invalidRequest(`system.${index}.text: Field required`);
  }
  return undefined;
}

function checkScalars(body: Readonly<Record<string, unknown>>): ApiError | undefined {
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') {
    return invalidRequest('stream: Input should be a valid boolean');
  }
  const temperature = body['temperature'];
  if (temperature !== undefined) {
    if (typeof temperature !== 'number') return invalidRequest('temperature: Input should be a valid number');
    if (temperature < 0 || temperature > 1) return invalidRequest('temperature: range: 0..1');
  }
  for (const field of [
    'metadata',
    'thinking',
    'tool_choice',
    'output_config',
    'context_management',
    'cache_control',
  ]) {
    const value = body[field];
    if (value !== undefined && value !== null && !isRecord(value)) {
      return invalidRequest(`${field}: Input should be an object`);
    }
  }
  return undefined;
}

function checkTools(tools: unknown): ApiError | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return invalidRequest('tools: Input should be a valid list');
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool)) return invalidRequest(`tools.${index}: Input should be an object`);
    if (typeof tool['name'] !== 'string') return invalidRequest(`tools.${index}.custom.name: Field required`);
    if (tool['description'] !== undefined && typeof tool['description'] !== 'string') {
      return invalidRequest(`tools.${index}.custom.description: Input should be a valid string`);
    }
  }
  return undefined;
}
