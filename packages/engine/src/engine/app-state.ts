/** What host and engine share and both may change (`getAppState`, `setAppState`). */

import type { TodoItem } from '../protocol/model/attachment.ts';
import type { PermissionMode } from '../protocol/tools/permission.ts';
import type { TodoStore } from '../protocol/tools/tool.ts';

export interface AppState {
  readonly permissionMode: PermissionMode;
  readonly todos: readonly TodoItem[];
  /** A host may keep more here; the engine leaves it as it is. */
  readonly [key: string]: unknown;
}

export interface AppStateAccess {
  get(): AppState;
  set(update: (previous: AppState) => AppState): void;
}

/** The host's own state when it brings both functions, else one kept by the engine. */
export function openAppState(
  host: {
    readonly getAppState?: (() => AppState) | undefined;
    readonly setAppState?: ((update: (previous: AppState) => AppState) => void) | undefined;
  },
  initial: AppState,
): AppStateAccess {
  if (host.getAppState !== undefined && host.setAppState !== undefined) {
    return { get: host.getAppState, set: host.setAppState };
  }
  let state: AppState = host.getAppState?.() ?? initial;
  return {
    get: () => state,
    set(update) {
      state = update(state);
      host.setAppState?.(() => state);
    },
  };
}

/** The list of what is to do, as part of it. */
export function createTodoStore(appState: AppStateAccess): TodoStore {
  return {
    get: () => appState.get().todos,
    set: (todos) => appState.set((state) => ({ ...state, todos })),
  };
}
