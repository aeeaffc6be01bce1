/** Control requests about the session: its title, its cost, and tools that the host calls. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { JsonObject, SessionUsage } from '@turnwright/engine';
import { dollars, duration } from '../words/units.ts';
import type { RequestHandler } from './request-handler.ts';

const TITLE_CHARS = 60;

export const SESSION_ANSWERS: Readonly<Record<string, RequestHandler>> = {
  async rename_session({ title, session_id: meant }, { query }) {
    await query.renameSession(String(title ?? ''), typeof meant === 'string' ? { sessionId: meant } : {});
  },
  async rewind_files({ user_message_id: id, dry_run: dryRun }, { query }) {
    return { ...(await query.rewindFiles(String(id), { dryRun: dryRun === true })) };
  },
  // Made from the first words of the conversation, without a model call.
  async generate_session_title({ description, persist }, { query }) {
    const title = firstWords(String(description ?? ''));
    if (persist === true && title !== '') await query.renameSession(title);
    return { title: title === '' ? null : title };
  },
  get_usage: async (_, { query }) => ({
    ...(await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()),
  }),
  get_session_cost: async (_, { query }) => ({
    text: costText(await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()),
  }),
  async mcp_call(fields, { query }) {
    for (const name of ['input_files', 'output_files', 'expires_at', 'result_not_for_model'])
      if (fields[name] !== undefined) throw new Error(`mcp_call: "${name}" is not supported.`);
    const { tool, arguments: given, check_permissions, soft_error_result: soft, timeout_ms: ms } = fields;
    const signal = typeof ms === 'number' ? AbortSignal.timeout(ms) : undefined;
    const call = {
      tool: String(tool),
      arguments: isRecord(given) ? (given as JsonObject) : {},
      checkPermissions: check_permissions === true,
      softErrorResult: soft === true,
    };
    return { ...(await query.callMcpTool(call, signal)) };
  },
  // No messages depend on subscribers.
  async set_has_subscribers() {},
};

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= TITLE_CHARS) return line;
  const cut = line.slice(0, TITLE_CHARS);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : undefined)}…`;
}

/** What a session cost, for a person to read. */
function costText({ session }: SessionUsage): string {
  const lines = [
    `Cost:          ${dollars(session.total_cost_usd)} (estimate)`,
    `Model calls:   ${duration(session.total_api_duration_ms)}`,
    `Session:       ${duration(session.total_duration_ms)}`,
    `Lines changed: +${session.total_lines_added} -${session.total_lines_removed}`,
  ];
  for (const [model, usage] of Object.entries(session.model_usage)) {
    const counts = [
      `${usage.inputTokens} in`,
      `${usage.outputTokens} out`,
      `${usage.cacheReadInputTokens} cache read`,
      `${usage.cacheCreationInputTokens} cache write`,
    ];
    lines.push(`${model}: ${counts.join(', ')} (${dollars(usage.costUSD)})`);
  }
  return lines.join('\n');
}
