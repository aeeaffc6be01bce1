/** Content of the user side in OpenAI's forms; what a form does not take is replaced by a sentence. */
import type {
  DocumentBlock,
  ImageBlock,
  ResultPart,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/model/wire.ts';

type Part = TextBlock | ImageBlock | DocumentBlock;

/** How an API writes the parts of a message. */
interface PartForms {
  text(text: string): unknown;
  /** `url`: an address, or a data URL. */
  image(url: string): unknown;
  /** `data`: a data URL. */
  file(name: string, data: string): unknown;
}

export const CHAT_PARTS: PartForms = {
  text: (text) => ({ type: 'text', text }),
  image: (url) => ({ type: 'image_url', image_url: { url } }),
  file: (filename, file_data) => ({ type: 'file', file: { filename, file_data } }),
};

export const RESPONSES_PARTS: PartForms = {
  text: (text) => ({ type: 'input_text', text }),
  image: (image_url) => ({ type: 'input_image', image_url, detail: 'auto' }),
  file: (filename, file_data) => ({ type: 'input_file', filename, file_data }),
};

const IMAGE_LEFT_OUT = '[image left out: this model takes no images]';

/** `images` false: each is replaced by a sentence. */
export function toWirePart(part: Part, forms: PartForms, images: boolean): unknown {
  switch (part.type) {
    case 'text':
      return forms.text(part.text);
    case 'image':
      return images ? forms.image(toUrl(part)) : forms.text(IMAGE_LEFT_OUT);
    case 'document':
      return documentPart(part, forms);
  }
}

function toUrl({ source }: ImageBlock): string {
  switch (source.type) {
    case 'url':
      return source.url;
    case 'base64':
      return `data:${source.media_type};base64,${source.data}`;
    case 'file':
      return ''; // replaced by a sentence before
  }
}

function documentPart({ source, title }: DocumentBlock, forms: PartForms): unknown {
  const data = source['data'];
  if (source['type'] === 'text' && typeof data === 'string') return forms.text(data);
  if (source['type'] === 'base64' && typeof data === 'string')
    return forms.file(title ?? 'document.pdf', `data:${String(source['media_type'])};base64,${data}`);
  return forms.text(`[document left out: ${String(source['url'] ?? source['type'])}]`);
}

/** The content of a result as a list of parts. */
function resultParts({ content }: ToolResultBlock): readonly Part[] {
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((part) => (part.type === 'tool_reference' ? [] : [asPart(part)]));
}

/** The text of a result, as the model reads it; what is no text is left to `others`. */
export function renderResultText(block: ToolResultBlock): string {
  const text = resultParts(block)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
  const shown = text === '' ? '(no text)' : text;
  return block.is_error === true ? `Error: ${shown}` : shown;
}

/** Images and documents of a result. */
export const resultMedia = (block: ToolResultBlock): readonly Part[] =>
  resultParts(block).filter(({ type }) => type !== 'text');

/** Blocks of the user side that are no results. */
export const selectParts = (blocks: readonly UserBlock[]): readonly Part[] =>
  blocks.flatMap((block) => (block.type === 'tool_result' ? [] : [asPart(block)]));

/** What only the Messages API knows becomes the text that it holds, or a sentence. */
function asPart(block: ResultPart): Part {
  const left = (why: string): Part => ({ type: 'text', text: `[${block.type} left out: ${why}]` });
  switch (block.type) {
    case 'text':
    case 'document':
      return block;
    case 'image':
      return block.source.type === 'file' ? left('this provider does not have the file') : block;
    case 'search_result': {
      const { title, source, content } = block;
      const texts = Array.isArray(content) ? content.map(({ text }) => String(text ?? '')) : [];
      return { type: 'text', text: [`${String(title)} (${String(source)})`, ...texts].join('\n') };
    }
    default:
      return left('this provider does not take it');
  }
}
