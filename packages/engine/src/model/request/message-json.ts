/**
 * One message of the view as pieces of wire JSON: one string per content block, made once per message and
 * kept by identity, so that an iteration serialises only what is new (L3).
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { isRecord, jsonOnce } from '@turnwright/base/json-values.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import {
  type AssistantBlock,
  NO_OUTPUT,
  type ResultPart,
  type TextBlock,
  type ToolResultBlock,
  type UserBlock,
} from '../../protocol/model/wire.ts';
import { wireToolId } from './wire-tool-ids.ts';

export type BlockJson =
  | { readonly type: 'plain'; readonly json: string; readonly trimmed?: string }
  | { readonly type: 'thinking'; readonly json: string }
  | {
      readonly type: 'tool_use' | 'tool_result';
      readonly id: string;
      readonly rest: string;
      readonly json: string;
      /** What a result of a search loads, for endpoints that know references. */
      readonly loads?: Loads;
    };

interface Loads {
  /** Names of tools. */
  readonly names: readonly string[];
  /** What the result says, as a block. */
  readonly text: string;
}

type ResultPiece = Extract<BlockJson, { id: string }>;
type ToolPieceType = ResultPiece['type'];

export const piecesOf: (message: ViewMessage) => readonly BlockJson[] = oncePer(makePieces);

function makePieces(message: ViewMessage): readonly BlockJson[] {
  switch (message.type) {
    case 'assistant':
      return message.synthetic === undefined ? message.message.content.flatMap(assistantPiece) : [];
    case 'user': {
      const content = message.message.content;
      return typeof content === 'string' ? textPiece(content) : content.flatMap(userPiece);
    }
    case 'attachment':
      return message.rendered.flatMap(userPiece);
  }
}

/** The pieces of one block of the user side, or of a block of an answer that no other rule is about. */
export const piecesOfBlock = (block: UserBlock): readonly BlockJson[] => userPiece(block);

/** A block of an answer as it is repeated; undefined: it is left out, or is no longer what it was. */
export function jsonOfAnswer(block: AssistantBlock): string | undefined {
  if (
    block.type === 'tool_use' &&
    (wireToolId(block.id) !== block.id || wireToolName(block.name) !== block.name)
  )
    return undefined;
  return assistantPiece(block)[0]?.json;
}

/** The piece with its id on the wire. */
export function withToolId(piece: Extract<BlockJson, { id: string }>, id: string): string {
  return id === wireToolId(piece.id) ? piece.json : toolJson(piece.type, id, piece.rest);
}

/** With its citations. */
function textBlockJson({ text, citations }: TextBlock): string {
  return citations?.length ? wireJson({ type: 'text', text, citations }) : textJson(text);
}

export function textJson(text: string): string {
  return `{"type":"text","text":${wireJson(text)}}`;
}

function assistantPiece(block: AssistantBlock): BlockJson[] {
  switch (block.type) {
    case 'text': {
      if (block.text.trim() === '') return [];
      const withText = (text: string) => textBlockJson({ ...block, text });
      const json = withText(block.text);
      const end = block.text.trimEnd();
      if (end.length === block.text.length) return [{ type: 'plain', json }];
      return [{ type: 'plain', json, trimmed: withText(end) }];
    }
    case 'thinking':
      // Unsigned thinking (truncated, or from a server that does not sign) would be refused.
      if (!block.signature) return [];
      return [
        {
          type: 'thinking',
          json: wireJson({ type: 'thinking', thinking: block.thinking, signature: block.signature }),
        },
      ];
    case 'redacted_thinking':
      return [{ type: 'thinking', json: wireJson({ type: 'redacted_thinking', data: block.data }) }];
    case 'tool_use': {
      const name = JSON.stringify(wireToolName(block.name));
      const rest = `"name":${name},"input":${withoutLoneSurrogates(jsonOnce(toolInput(block.input)))}}`;
      return [toolPiece('tool_use', block.id, rest)];
    }
    default:
      return otherPiece(block);
  }
}

function otherPiece(block: AssistantBlock | UserBlock): BlockJson[] {
  return [{ type: 'plain', json: wireJson({ ...block, cache_control: undefined }) }];
}

function userPiece(block: UserBlock): BlockJson[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'plain', json: textBlockJson(block) }];
    case 'tool_result': {
      const isError = block.is_error === true;
      const body = {
        content: resultContent(block.content, isError),
        ...(block.is_error !== undefined && { is_error: isError }),
      };
      const piece = toolPiece('tool_result', block.tool_use_id, wireJson(body).slice(1));
      const loads = loadedBy(block.content);
      return [loads === undefined ? piece : { ...piece, loads }];
    }
    default:
      return otherPiece(block);
  }
}

function loadedBy(content: ToolResultBlock['content']): Loads | undefined {
  if (typeof content === 'string' || content === undefined) return undefined;
  const names = content.flatMap((part) => (part.type === 'tool_reference' ? [part.tool_name] : []));
  if (names.length === 0) return undefined;
  const said = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { names, text: textJson(said.trim() === '' ? `Loaded: ${names.join(', ')}.` : said) };
}

/** The result as references to these tools. Its text is a block of its own, behind the results. */
export function withReferences(piece: ResultPiece, names: readonly string[]): ResultPiece {
  const content = names.map((tool_name) => ({ type: 'tool_reference', tool_name }));
  return toolPiece('tool_result', piece.id, wireJson({ content }).slice(1));
}

function textPiece(text: string): BlockJson[] {
  return text.trim() === '' ? [] : [{ type: 'plain', json: textJson(text) }];
}

function resultContent(content: ToolResultBlock['content'], isError: boolean): unknown {
  if (content === undefined || typeof content === 'string') return content?.trim() ? content : NO_OUTPUT;
  const blocks = content.flatMap((block): unknown[] => resultBlock(block, isError));
  return blocks.length === 0 ? NO_OUTPUT : blocks;
}

function resultBlock(block: ResultPart, isError: boolean): unknown[] {
  // Only where the endpoint knows them (`withReferences`): it refuses them beside other content.
  if (block.type === 'tool_reference') return [];
  if (block.type === 'text')
    return block.text.trim() === ''
      ? []
      : [{ type: 'text', text: block.text, ...(block.citations?.length && { citations: block.citations }) }];
  // The API accepts only text in a failed result.
  if (isError) return [{ type: 'text', text: `[${block.type} left out of a failed result]` }];
  return [{ ...block, cache_control: undefined }];
}

/** The API accepts only objects; any other input of a model is kept under a key of its own. */
function toolInput(input: unknown): object {
  return isRecord(input) ? input : { value: input ?? null };
}

function wireToolName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128);
  return clean === '' ? 'unnamed' : clean;
}

function toolPiece(type: ToolPieceType, id: string, rest: string): ResultPiece {
  return { type, id, rest, json: toolJson(type, wireToolId(id), rest) };
}

function toolJson(type: ToolPieceType, id: string, rest: string): string {
  return `{"type":"${type}","${type === 'tool_use' ? 'id' : 'tool_use_id'}":${JSON.stringify(id)},${rest}`;
}

/**
 * JSON without lone surrogates, which the API refuses. JSON.stringify writes them as `\udXXX` and never
 * escapes a proper pair, so every such escape is a lone one.
 */
export const wireJson = (value: unknown): string => withoutLoneSurrogates(JSON.stringify(value));

function withoutLoneSurrogates(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(ud[89a-f][0-9a-f]{2}|[\s\S])/g, (found: string, body: string) =>
    body.length > 1 ? '\ufffd' : found,
  );
}
