/** Messages of the session itself while a submission runs: a changed permission mode, a removed tool. */

import type { InformationalBody } from '../../protocol/model/messages.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PermissionPort } from '../../protocol/tools/gate-ports.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';
import type { AppStateAccess } from '../app-state.ts';
import type { HostChannel } from './host-channel.ts';

export interface SessionNotices {
  /** A sentence for the user. Default level: `warning`. */
  say(content: string, level?: 'notice' | 'warning'): void;
  show(body: InformationalBody): void;
  /** What the user opened a web page for, at an MCP server's request, is done. */
  elicitationComplete(server: string, elicitationId: string): void;
  /** Current mode; not emitted until it changes. */
  mode(): SDKMessage;
  /** A tool or an answer of the host changed the mode; undefined if that was emitted already. */
  modeChange(): SDKMessage | undefined;
  /** The next message; undefined if there is none. */
  take(): SDKMessage | undefined;
}

type Notice =
  | InformationalBody
  | {
      readonly subtype: 'elicitation_complete';
      readonly mcp_server_name: string;
      readonly elicitation_id: string;
    };

interface NoticeParts {
  readonly host: HostChannel;
  readonly permissions: Pick<PermissionPort, 'mode'>;
  readonly appState: AppStateAccess;
  /** What of the settings is not in force; one message says all of it. */
  readonly start?: readonly string[] | undefined;
}

export function createSessionNotices(parts: NoticeParts): SessionNotices {
  return new Notices(parts);
}

class Notices implements SessionNotices {
  readonly #parts: NoticeParts;
  readonly #waiting: Notice[] = [];
  #told: PermissionMode;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
    this.#told = parts.permissions.mode;
    const { start = [] } = parts;
    if (start.length > 0)
      this.show({
        subtype: 'informational',
        content: start.join('\n'),
        level: 'warning',
        tag: 'settings_not_in_effect',
      });
  }

  say(content: string, level: 'notice' | 'warning' = 'warning'): void {
    this.#waiting.push({ subtype: 'informational', content, level });
  }

  show(body: InformationalBody): void {
    this.#waiting.push(body);
  }

  elicitationComplete(mcp_server_name: string, elicitation_id: string): void {
    this.#waiting.push({ subtype: 'elicitation_complete', mcp_server_name, elicitation_id });
  }

  mode(): SDKMessage {
    this.#told = this.#parts.permissions.mode;
    return {
      type: 'system',
      subtype: 'status',
      status: null,
      permissionMode: this.#told,
      ...this.#parts.host.stamp(),
    };
  }

  modeChange(): SDKMessage | undefined {
    const { appState, permissions } = this.#parts;
    if (permissions.mode === this.#told) return undefined;
    // The state that the host shares must not change it back.
    appState.set((state) => ({ ...state, permissionMode: permissions.mode }));
    return this.mode();
  }

  take(): SDKMessage | undefined {
    const changed = this.modeChange();
    if (changed !== undefined) return changed;
    const next = this.#waiting.shift();
    return next && { type: 'system', ...next, ...this.#parts.host.stamp() };
  }
}
