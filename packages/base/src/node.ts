/**
 * Modules of Node that are loaded without an import. An import evaluates all exports of a module, and for
 * node:http that loads a second HTTP client: about 25 ms at the start. Functions are loaded on first use,
 * because many sessions start no process and use no TLS: 10 ms each.
 */
export const http = process.getBuiltinModule('node:http');
export const https = () => process.getBuiltinModule('node:https');
export const tls = () => process.getBuiltinModule('node:tls');
export const childProcess = () => process.getBuiltinModule('node:child_process');
