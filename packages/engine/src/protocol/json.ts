/** Any value that survives JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema object, as the Messages API accepts it for a tool's input. */
export type JsonSchema = { readonly type?: string | readonly string[]; readonly [key: string]: unknown };
