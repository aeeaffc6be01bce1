/** Requests of a server: the working directory as a root, and questions to the user. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerElicitation, type ElicitPort } from '../tools/elicitation.ts';

type Params = Readonly<Record<string, unknown>>;

export interface ServerQuestions {
  /** Answers a request of the server; undefined: there is no such method. Never rejects. */
  answer(method: string, params: Params, signal: AbortSignal): Promise<Params | undefined>;
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
  const elicited = async (params: Params, signal: AbortSignal): Promise<Params> => {
    open += 1;
    try {
      const { action, content } = await answerElicitation(name, params, elicit, signal);
      return { action, ...(content !== undefined && { content }) };
    } finally {
      open -= 1;
    }
  };
  return {
    async answer(method, params, signal) {
      switch (method) {
        case 'elicitation/create':
          return elicited(params, signal);
        case 'roots/list':
          return { roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] };
        default:
          return undefined;
      }
    },
    get open() {
      return open > 0;
    },
  };
}
