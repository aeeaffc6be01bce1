/** WebFetch: the sockets of the model's connection, a small model for reading, and the rules about hosts. */
import { asksAnthropic } from '../../../model/catalog/model-info.ts';
import type { Permissions } from '../../../permissions/permission-engine.ts';
import { parseRule } from '../../../permissions/rules/permission-rule.ts';
import { allowsLocalHost } from '../../../permissions/rules/url-rule.ts';
import { providerFacts } from '../../../protocol/model/provider.ts';
import type { AnyTool } from '../../../protocol/tools/tool.ts';
import { DEFAULT_BASE_URL } from '../../../settings/resolve/resolved-options.ts';
import { createParser } from '../../../tools/schema/from-json-schema.ts';
import {
  createWebFetchTool,
  PAGE_READER,
  pageAndRequest,
  WEB_FETCH_TOOL,
  type WebFetchInput,
} from '../../../web/web-fetch-tool.ts';
import { createWebSearchTool, WEB_SEARCH_TOOL, type WebSearchInput } from '../../../web/web-search-tool.ts';
import type { QueryEngineConfig } from '../../config.ts';
import { connectWith } from '../../connect-with.ts';
import { ownProvider } from '../../models/open-model-client.ts';
import { askSmallModel, type SideCallPorts } from '../../side-calls/small-model.ts';
import { formatUserAgent } from '../../version.ts';

export interface WebParts extends SideCallPorts {
  readonly permissions: Permissions;
}

/** Tokens of an answer about a page. */
const MAX_ANSWER_TOKENS = 4_000;

export function composeWeb(config: QueryEngineConfig, parts: WebParts): readonly AnyTool[] {
  return [...composeFetch(config, parts), ...composeSearch(config, parts)];
}

/** Only Anthropic's API is known to search; another provider would refuse the request. */
function composeSearch(config: QueryEngineConfig, parts: WebParts): readonly AnyTool[] {
  const model = parts.model.resolve(config.model);
  const isOffered = config.sessionTools?.includes(WEB_SEARCH_TOOL) === true;
  const hasSearch = providerFacts(ownProvider(config).type).searchesWeb === true;
  if (!isOffered || !hasSearch || !asksAnthropic(config.baseUrl ?? DEFAULT_BASE_URL, model)) return [];
  return [
    createWebSearchTool({
      parser: (schema) => createParser<WebSearchInput>(schema),
      async search(search) {
        const { searchWeb } = await import('../../side-calls/search-web.ts');
        return searchWeb(search, parts);
      },
    }),
  ];
}

function composeFetch(config: QueryEngineConfig, parts: WebParts): readonly AnyTool[] {
  if (config.sessionTools?.includes(WEB_FETCH_TOOL) !== true) return [];
  const { privateHosts = [], resolve, timeoutMs } = config.webFetch ?? {};
  return [
    createWebFetchTool({
      connect: connectWith(config),
      resolve,
      timeoutMs,
      userAgent: formatUserAgent(config),
      allowsPrivate: (url) =>
        privateHosts.some((host) => host === url.host || host === url.hostname) ||
        namedByRule(url, parts.permissions),
      parser: (schema) => createParser<WebFetchInput>(schema),
      answer: ({ url, text, prompt, effectKey, signal }) =>
        askSmallModel(
          {
            querySource: 'web_fetch',
            foreground: true,
            system: PAGE_READER,
            texts: pageAndRequest(url, text, prompt),
            maxTokens: MAX_ANSWER_TOKENS,
            effectKey,
            signal,
          },
          parts,
        ),
    }),
  ];
}

function namedByRule(url: URL, permissions: Permissions): boolean {
  return permissions.rules().some(({ behavior, inForce, rule }) => {
    const { toolName, ruleContent } = parseRule(rule);
    return (
      behavior === 'allow' &&
      inForce &&
      toolName === WEB_FETCH_TOOL &&
      ruleContent !== undefined &&
      allowsLocalHost(ruleContent, url.href)
    );
  });
}
