/** A conversation as Markdown: what was said, which calls were made, and what they returned. Pure. */
import type { ContentBlock, SessionMessage } from '@turnwright/engine';
import { toolLabel } from '../../words/tool-label.ts';

interface Exported {
  readonly title: string;
  readonly cwd: string;
  readonly messages: readonly SessionMessage[];
}

export function conversationMarkdown({ title, cwd, messages }: Exported): string {
  const parts = messages.flatMap((message) => formatParts(message, cwd));
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

/** The content of a message as blocks; a text is one of them. */
export function readMessageBlocks({ message }: SessionMessage): readonly ContentBlock[] {
  const { content } = (message ?? {}) as { readonly content?: unknown };
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly ContentBlock[]) : [];
}

function formatParts(message: SessionMessage, cwd: string): readonly string[] {
  return readMessageBlocks(message).flatMap((block) => {
    switch (block.type) {
      case 'text':
        return message.type === 'user' ? [`## You\n\n${block.text}`] : [block.text];
      case 'tool_use':
        return [codeSpan(toolLabel(block.name, block.input as Readonly<Record<string, unknown>>, cwd))];
      case 'tool_result':
        return [fenced(resultText(block.content))];
      case 'image':
        return ['*(an image)*'];
      default:
        return [];
    }
  });
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly ContentBlock[])
    .map((block) => (block.type === 'text' ? block.text : `(${block.type})`))
    .join('\n');
}

/** Between one more backtick than the text has in a row. */
function codeSpan(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const mark = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  return runs.length === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`;
}

/** A fence is longer than every run of backticks inside. */
function fenced(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
