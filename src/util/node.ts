/**
 * Modules of Node that are not imported. An import reads everything that a module exports, and behind node:http that
 * loads a second HTTP client: about 25 ms of a start, for nothing. Those that are functions are loaded by the first use,
 * as many a session starts no process and speaks no TLS: 10 ms each.
 */
export const http = process.getBuiltinModule('node:http');
export const https = () => process.getBuiltinModule('node:https');
export const tls = () => process.getBuiltinModule('node:tls');
export const childProcess = () => process.getBuiltinModule('node:child_process');
