/** What this client can do, and what it answers when a server asks. */

import { isRecord } from '@turnwright/base/json-values.ts';

export const CLIENT_CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: false },
    symbol: {},
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false },
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    hover: { contentFormat: ['plaintext', 'markdown'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
  },
} as const;

/** undefined: there is no such method. Nothing that a server asks for changes a file. */
export function answerServer(
  method: string,
  params: unknown,
  {
    settings = {},
    folder,
  }: { readonly settings: Readonly<Record<string, unknown>> | undefined; readonly folder: unknown },
): unknown {
  switch (method) {
    case 'workspace/configuration': {
      const items = isRecord(params) && Array.isArray(params['items']) ? params['items'].slice(0, 100) : [];
      return items.map((item: unknown) =>
        findSection(settings, isRecord(item) ? item['section'] : undefined),
      );
    }
    case 'workspace/workspaceFolders':
      return [folder];
    case 'workspace/applyEdit':
      return { applied: false, failureReason: 'Edits are made by the model alone.' };
    case 'client/registerCapability':
    case 'client/unregisterCapability':
    case 'window/workDoneProgress/create':
    case 'window/showMessageRequest':
    case 'workspace/diagnostic/refresh':
      return null;
    default:
      return undefined;
  }
}

/** `python.analysis`: below `python`, or under the whole name. */
function findSection(settings: Readonly<Record<string, unknown>>, section: unknown): unknown {
  if (typeof section !== 'string' || section === '') return settings;
  if (Object.hasOwn(settings, section)) return settings[section];
  let found: unknown = settings;
  for (const part of section.split('.')) {
    if (!isRecord(found) || !Object.hasOwn(found, part)) return null;
    found = found[part];
  }
  return found;
}
