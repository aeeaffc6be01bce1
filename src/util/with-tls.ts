/** What speaks TLS is loaded by the first address that needs it: it takes 10 ms. */
export const https = () => process.getBuiltinModule('node:https');
export const tls = () => process.getBuiltinModule('node:tls');
