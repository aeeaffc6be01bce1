/** Where sessions are kept, to find one again. */
export { type FoundSession, findSession, newestSession, sessionsDirectory } from '../../session/paths.ts';
export { configHome as configurationHome } from '../../settings/read/config-home.ts';
