import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiError, invalidRequest } from '../api-errors.ts';
import { BLOCK_FIELDS, isServerBlock, RESULT_BLOCKS } from './block-fields.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Every block has a known type and its fields, and is in a message of a permitted role. */
export const contentBlocks: JudgeRule = {
  name: 'content-blocks',
  check({ body }) {
    const messages = Array.isArray(body['messages']) ? body['messages'] : [];
    for (const [index, message] of messages.entries()) {
      if (!isRecord(message) || !Array.isArray(message['content'])) continue;
      for (const [at, block] of message['content'].entries()) {
        const error = checkBlock(block, String(message['role']), `messages.${index}.content.${at}`);
        if (error !== undefined) return error;
      }
    }
    return undefined;
  },
};

function checkBlock(block: unknown, role: string, path: string): ApiError | undefined {
  if (!isRecord(block)) return invalidRequest(`${path}: Input should be an object`);
  const type = block['type'];
  if (type === undefined) return invalidRequest(`${path}.type: Field required`);
  if (typeof type === 'string' && isServerBlock(type) && role !== 'system') return undefined;
  if (role === 'system' && (type === 'tool_addition' || type === 'tool_removal')) return undefined;
  const error = checkFields(block, path);
  if (error !== undefined) return error;
  const fields = BLOCK_FIELDS[String(type)];
  if (fields !== undefined && !fields.roles.includes(role)) {
    const roles = fields.roles.map((allowed) => `\`${allowed}\``).join(' or ');
    return invalidRequest(`${path}: \`${String(type)}\` blocks can only be in ${roles} messages`);
  }
  return type === 'tool_result' ? checkResult(block, path) : undefined;
}

function checkResult(block: Record<string, unknown>, path: string): ApiError | undefined {
  const content = block['content'];
  if (block['is_error'] !== undefined && typeof block['is_error'] !== 'boolean') {
    return invalidRequest(`${path}.tool_result.is_error: Input should be a valid boolean`);
  }
  if (content === undefined || typeof content === 'string') return undefined;
  if (!Array.isArray(content))
    return invalidRequest(`${path}.tool_result.content: Input should be a valid list`);
  for (const [at, inner] of content.entries()) {
    const place = `${path}.tool_result.content.${at}`;
    if (!isRecord(inner)) return invalidRequest(`${place}: Input should be an object`);
    if (inner['type'] === 'tool_reference') continue;
    if (!RESULT_BLOCKS.includes(String(inner['type'])))
      return unknownTag(inner['type'], place, RESULT_BLOCKS);
    const error = checkFields(inner, place);
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkFields(block: Record<string, unknown>, path: string): ApiError | undefined {
  const type = String(block['type']);
  const fields = BLOCK_FIELDS[type];
  if (fields === undefined) return unknownTag(type, path, Object.keys(BLOCK_FIELDS));
  for (const [field, kind] of Object.entries(fields.required)) {
    const value = block[field];
    if (value === undefined) return invalidRequest(`${path}.${type}.${field}: Field required`);
    if (kind === 'string' && typeof value !== 'string') {
      return invalidRequest(`${path}.${type}.${field}: Input should be a valid string`);
    }
    if (kind === 'object' && !isRecord(value)) {
      return invalidRequest(`${path}.${type}.${field}: Input should be an object`);
    }
  }
  return undefined;
}

function unknownTag(type: unknown, path: string, known: readonly string[]): ApiError {
  const tags = known.map((tag) => `'${tag}'`).join(', ');
  return invalidRequest(
    `${path}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${tags}`,
  );
}
