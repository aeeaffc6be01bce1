/** For hosts that keep sessions in a store of their own. */

export { InMemorySessionStore } from '../../session/host-store/in-memory-session-store.ts';
export { foldSessionSummary } from '../../session/session-info.ts';
