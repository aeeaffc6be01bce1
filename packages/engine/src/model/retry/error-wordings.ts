/**
 * How servers word what their status does not say. Read by `classify-error.ts` only; nothing else recognises
 * a failure by its text.
 */

export interface TokenNumbers {
  readonly input?: number;
  readonly maxTokens?: number;
  readonly limit?: number;
}

type Wording = readonly [pattern: RegExp, ...numbers: (keyof TokenNumbers)[]];

/** The prompt alone does not fit. The Messages API first, then local servers and gateways (F28). */
const TOO_LONG: readonly Wording[] = [
  [/prompt is too long:? *(\d+) tokens? *> *(\d+) maximum/i, 'input', 'limit'],
  [/prompt is too long|prompt too long/i],
  [/request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i],
  [/request \((\d+) tokens\) exceeds the available context size \((\d+) tokens\)/i, 'input', 'limit'],
  [/exceed(?:s|ed)? the available context size|exceed_context_size_error/i],
  [/input is too long for (?:the )?requested model|input length .*exceeds the context length/i],
  [
    /maximum context length (?:is|of) (\d+) tokens.*?(?:resulted in|requested|contains?(?: at least)?) (\d+) (?:input )?tokens/is,
    'limit',
    'input',
  ],
  [
    /maximum context length|context_length_exceeded|context length exceeded|context window exceed|exceed(?:s|ed)? (?:the )?(?:model'?s? )?(?:maximum )?context (?:window|length|limit|size)/i,
  ],
  [/input token count \(?(\d+)\)? exceeds the maximum number of tokens allowed \(?(\d+)/i, 'input', 'limit'],
  [
    /context (?:the )?overflows?|greater than the context length|longer than the (?:model'?s context length|maximum model length)/i,
  ],
  [/(?:prompt|input|request)[^.]{0,40} (?:has |contains )?too many tokens/i],
];

/** Prompt and requested output together do not fit: less output would. */
const OVER_WINDOW: readonly Wording[] = [
  [
    /input length and `?max_tokens`? exceed context limit: *(\d+) *\+ *(\d+) *> *(\d+)/i,
    'input',
    'maxTokens',
    'limit',
  ],
  [
    /maximum context length is (\d+) tokens.*?requested \d+ tokens \((\d+) in the messages, (\d+) in the completion\)/is,
    'limit',
    'input',
    'maxTokens',
  ],
  [
    /max(?:_completion)?_tokens'? is too large: (\d+).*maximum context length is (\d+) tokens and your request has (\d+) input tokens/is,
    'maxTokens',
    'limit',
    'input',
  ],
  [
    /`inputs` tokens \+ `max_new_tokens` must be <= (\d+)\. Given: (\d+) `inputs` tokens and (\d+)/i,
    'limit',
    'input',
    'maxTokens',
  ],
];

const MEDIA = [
  /image (?:exceeds|dimensions|size)|images? (?:is|are) too large|image was too large/i,
  /too many images|too much media|many-image requests/i,
  /could not process (?:image|document|pdf)|image (?:could not be|cannot be|does not match)/i,
  /maximum of \d+ (?:pdf )?pages|pdf (?:exceeds|is too large|pages|cannot be)|document (?:exceeds|is too large)/i,
];

const SIGNATURE = [
  /invalid `?signature`?(?: in `?thinking`? block)?/i,
  /`?thinking`?[^.]{0,60}blocks?[^.]{0,80}cannot be modified/i,
  /expected `?thinking`? or `?redacted_thinking`?, but found/i,
];

const CLOUD = [
  /security token included in the request is (?:expired|invalid)|ExpiredToken|UnrecognizedClientException/i,
  /could not load (?:the )?(?:default )?credentials|invalid_grant|reauth related error/i,
];

export const isMediaWording = (text: string): boolean => matchesAny(MEDIA, text);
export const isSignatureWording = (text: string): boolean => matchesAny(SIGNATURE, text);
export const isCloudCredentialWording = (text: string): boolean => matchesAny(CLOUD, text);
export const isRevokedWording = (text: string): boolean => /\brevoked\b/i.test(text);
export const isBillingWording = (text: string): boolean =>
  /credit balance|billing|payment (?:required|instrument)|insufficient_quota/i.test(text);
/** The schema of the answer, or the means by which it is sent. */
export const isSchemaWording = (text: string): boolean =>
  /\bresponse_?format\b|\bjson_schema\b|\bjson mode\b|\btext\.format\b|\boutput_(?:config\.)?format\b|response mime type|structured outputs?\b/i.test(
    text,
  );
export const isFastModeWording = (text: string): boolean => /\bfast[ _-]?mode\b|\bspeed\b/i.test(text);

export const tooLongWording = (text: string): TokenNumbers | undefined => parseTokenNumbers(TOO_LONG, text);
export const overWindowWording = (text: string): TokenNumbers | undefined =>
  parseTokenNumbers(OVER_WINDOW, text);

/** `messages.3.content.1`, with the part of a tool result, if one is named. */
export function blockWording(
  text: string,
): { readonly message: number; readonly content: number; readonly inner?: number } | undefined {
  const match = /\bmessages\.(\d+)\.content\.(\d+)(?:\.tool_result)?(?:\.content\.(\d+))?/.exec(text);
  if (match === null) return undefined;
  const [, message, content, inner] = match;
  return {
    message: Number(message),
    content: Number(content),
    ...(inner !== undefined && { inner: Number(inner) }),
  };
}

function matchesAny(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

function parseTokenNumbers(wordings: readonly Wording[], text: string): TokenNumbers | undefined {
  for (const [pattern, ...names] of wordings) {
    const match = pattern.exec(text);
    if (match === null) continue;
    return Object.fromEntries(names.map((name, at) => [name, Number(match[at + 1])]));
  }
  return undefined;
}
