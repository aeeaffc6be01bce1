/** `turnwright/web`: runs for pages in a browser. The page's part is `turnwright/web/client`. */

export type { AgentMessages, RunOptions } from './live-run.ts';
export { toNodeListener } from './node-listener.ts';
export type { PageAnswer, PageAsk, PageError, PageEvent } from './page-events.ts';
export { type ResponseOptions, toEventStream, toUIMessageResponse, toUIMessageStream } from './responses.ts';
export type { ChatAsk, ChatData, ChatMetadata, UIMessageChunk } from './ui-message-chunks.ts';
export { lastPrompt, type PageRequest, type WebAgent, type WebAgentOptions, webAgent } from './web-agent.ts';
