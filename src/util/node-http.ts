/**
 * HTTP of Node itself. Importing `node:http` as a module reads everything it exports, and from Node 22 on some of that
 * (WebSocket) loads a second HTTP client: 20 ms that nobody needs.
 */
export const http = process.getBuiltinModule('node:http');

/** Loads TLS. */
export const https = () => process.getBuiltinModule('node:https');
/** Loads TLS. */
export const tls = () => process.getBuiltinModule('node:tls');
