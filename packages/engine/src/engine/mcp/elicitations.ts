/**
 * Questions of MCP servers to hooks and the host. With `parkAfterMs`, a question that stays open for too long
 * parks the call that asks it, if the call may run again: the next run makes it again, and the server asks
 * again.
 */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { ToolCallRequest } from '../../mcp/tools/listed-tool.ts';
import { CallParked } from '../../protocol/session/parking.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../../protocol/tools/mcp.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ServedSession } from './connected-servers.ts';
import { type Elicit, elicitWithHooks } from './elicit-with-hooks.ts';

type AskHost = NonNullable<QueryEngineConfig['onElicitation']>;

interface ElicitationPorts {
  /** undefined: there is no host, so questions that no hook answers are declined. */
  readonly askHost: AskHost | undefined;
  /** The session of the moment. */
  served(): Pick<ServedSession, 'hooks' | 'parking' | 'questions'>;
}

interface CallUnderWay {
  readonly server: string;
  readonly toolUseId: string;
  /** It may run again, and an agent does not wait for it. */
  readonly isParkable: boolean;
  park(askId: string): void;
}

export class Elicitations {
  readonly #ports: ElicitationPorts;
  #underWay: readonly CallUnderWay[] = [];
  readonly answer: Elicit;

  constructor(ports: ElicitationPorts) {
    this.#ports = ports;
    const { askHost, served } = ports;
    const ask: Elicit | undefined = askHost && ((request, { signal }) => this.#ask(askHost, request, signal));
    this.answer = elicitWithHooks(ask, () => served().hooks);
  }

  /** Makes a call. Rejects with `CallParked` when it asks a question that is parked. */
  async during(
    server: string,
    request: ToolCallRequest,
    make: (request: ToolCallRequest) => Promise<ToolOutput>,
  ): Promise<ToolOutput> {
    const { context, mayRepeat } = request;
    const life = new AbortController();
    const onAbort = () => life.abort(context.signal.reason);
    context.signal.addEventListener('abort', onAbort, { once: true });
    if (context.signal.aborted) onAbort();
    const call: CallUnderWay = {
      server,
      toolUseId: context.toolUseId,
      isParkable: mayRepeat && context.agentId === undefined,
      park: (askId) => life.abort(new CallParked({ on: 'ask', askId })),
    };
    this.#underWay = [...this.#underWay, call];
    try {
      const made = make({ ...request, context: { ...context, signal: life.signal } });
      const [outcome] = await Promise.allSettled([made]);
      // A connection may reject with an error of its own, or the server may still answer.
      if (life.signal.reason instanceof CallParked) throw life.signal.reason;
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    } finally {
      this.#underWay = this.#underWay.filter((other) => other !== call);
      context.signal.removeEventListener('abort', onAbort);
    }
  }

  async #ask(askHost: AskHost, request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { parking, questions } = this.#ports.served();
    const call = parking === undefined ? undefined : this.#callOf(request.serverName);
    const opened = call && (await questions?.open({ toolUseId: call.toolUseId, ...recorded(request) }));
    if (parking === undefined || call === undefined || opened === undefined)
      return askHost(request, { signal, askId: uuid() });
    if (opened.answer !== undefined) return opened.answer as ElicitationAnswer;
    const waiting = new AbortController();
    const onAbort = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    let over = 'answered';
    try {
      const { askId } = opened;
      const answer = await Promise.race([
        askHost(request, { signal: waiting.signal, askId }),
        parking.due(waiting.signal).then((isDue) => (isDue ? 'parked' : NEVER)),
      ]);
      if (answer !== 'parked') {
        await opened.answered(answer);
        return answer;
      }
      over = answer;
      call.park(askId);
      return { action: 'cancel' };
    } finally {
      signal.removeEventListener('abort', onAbort);
      waiting.abort(over);
    }
  }

  /** The call that a question belongs to. undefined: it must not be parked, or several calls run. */
  #callOf(server: string): CallUnderWay | undefined {
    const [call, another] = this.#underWay.filter((each) => each.server === server);
    return another === undefined && call?.isParkable === true ? call : undefined;
  }
}

/** A page to open is another one each time. */
function recorded({ serverName: mcp_server_name, message, requestedSchema }: ElicitationRequest) {
  const question = {
    mcp_server_name,
    message,
    ...(requestedSchema !== undefined && { requested_schema: requestedSchema }),
  };
  const same = JSON.stringify(question);
  return { question, isSame: (earlier: unknown) => JSON.stringify(earlier) === same };
}

const NEVER = new Promise<never>(() => {});
