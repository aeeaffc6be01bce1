/** What the session itself has to tell consumers while a submission runs: a changed permission mode, a tool taken away. */
import type { PermissionPort } from '../protocol/gate.ts';
import type { Ids } from '../protocol/ports.ts';
import type { SDKMessage } from '../protocol/sdk-messages.ts';
import type { AppStateAccess } from './app-state.ts';

export interface SessionNotices {
  /** A sentence for people. Default level: `warning`. */
  say(content: string, level?: 'notice' | 'warning'): void;
  /** What a person was sent to a web page for, by an MCP server, is done. */
  elicitationComplete(server: string, elicitationId: string): void;
  /** The mode of now; nothing more is told of it until it changes. */
  mode(): SDKMessage;
  /** The next message that is due. Costs nothing when there is none. */
  take(): SDKMessage | undefined;
}

type Notice =
  | { readonly subtype: 'informational'; readonly content: string; readonly level: 'notice' | 'warning' }
  | {
      readonly subtype: 'elicitation_complete';
      readonly mcp_server_name: string;
      readonly elicitation_id: string;
    };

export function createSessionNotices(
  sessionId: string,
  {
    ids,
    permissions,
    appState,
  }: {
    readonly ids: Ids;
    readonly permissions: Pick<PermissionPort, 'mode'>;
    readonly appState: AppStateAccess;
  },
): SessionNotices {
  const waiting: Notice[] = [];
  let told = permissions.mode;

  const mode = (): SDKMessage => {
    told = permissions.mode;
    return {
      type: 'system',
      subtype: 'status',
      status: null,
      permissionMode: told,
      uuid: ids.uuid(),
      session_id: sessionId,
    };
  };
  return {
    say: (content, level = 'warning') => void waiting.push({ subtype: 'informational', content, level }),
    elicitationComplete: (mcp_server_name, elicitation_id) =>
      void waiting.push({ subtype: 'elicitation_complete', mcp_server_name, elicitation_id }),
    mode,
    take() {
      if (permissions.mode !== told) {
        // A tool or a host's answer changed it: the state that the host shares must not change it back.
        appState.set((state) => ({ ...state, permissionMode: permissions.mode }));
        return mode();
      }
      const next = waiting.shift();
      return next === undefined
        ? undefined
        : {
            type: 'system',
            ...next,
            uuid: ids.uuid(),
            session_id: sessionId,
          };
    },
  };
}
