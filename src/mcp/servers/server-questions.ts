/** Requests of a server: the working directory as a root, and questions to the user. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerElicitation, type ElicitationReply, type ElicitPort } from '../tools/elicitation.ts';

export const CLIENT_CAPABILITIES = { roots: {}, elicitation: { form: {}, url: {} } } as const;

interface ServerQuestions {
  roots(): { readonly roots: { readonly uri: string; readonly name: string }[] };
  /** Never rejects. */
  elicit(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ElicitationReply>;
  /** A question is open. */
  readonly open: boolean;
}

export function serverQuestions({
  name,
  cwd,
  elicit,
}: {
  readonly name: string;
  readonly cwd: string;
  readonly elicit: ElicitPort | undefined;
}): ServerQuestions {
  let open = 0;
  return {
    roots: () => ({ roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] }),
    async elicit(params, signal) {
      open += 1;
      try {
        const { action, content } = await answerElicitation(name, params, elicit, signal);
        return { action, ...(content !== undefined && { content }) };
      } finally {
        open -= 1;
      }
    },
    get open() {
      return open > 0;
    },
  };
}
