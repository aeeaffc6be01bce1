/**
 * The names of spans, metrics and events, against OpenTelemetry's conventions for generative AI at the commit that
 * `CONVENTIONS` names, and against Claude Code's page "Monitoring". A new version of either is a change of this file.
 */
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, it } from 'vitest';
import {
  ATTRIBUTE,
  CLAUDE_CODE_EVENT,
  CLAUDE_CODE_METRIC,
  CONVENTIONS,
  METRIC,
  OPERATION,
  SPAN,
} from '../../src/telemetry/signal-names.ts';

/** What the conventions have of which Turnwright knows something. */
const CONVENTIONAL = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.agent.name',
  'gen_ai.agent.id',
  'gen_ai.conversation.id',
  'gen_ai.request.model',
  'gen_ai.request.max_tokens',
  'gen_ai.request.stream',
  'gen_ai.request.reasoning.level',
  'gen_ai.response.id',
  'gen_ai.response.model',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.token.modality',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.name',
  'gen_ai.tool.type',
  'gen_ai.tool.call.id',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'error.type',
  'http.response.status_code',
  'http.request.resend_count',
];

const CONVENTIONAL_METRICS = [
  ['gen_ai.invoke_agent.duration', 's'],
  ['gen_ai.execute_tool.duration', 's'],
  ['gen_ai.client.inference.duration', 's'],
  ['gen_ai.client.inference.time_to_first_chunk', 's'],
  ['gen_ai.client.inference.operation.input_tokens', '{token}'],
  ['gen_ai.client.inference.operation.output_tokens', '{token}'],
  ['gen_ai.client.inference.usage.input_tokens', '{token}'],
  ['gen_ai.client.inference.usage.output_tokens', '{token}'],
  ['gen_ai.client.inference.usage.cache_read.input_tokens', '{token}'],
  ['gen_ai.client.inference.usage.cache_write.input_tokens', '{token}'],
  ['gen_ai.client.inference.usage.reasoning.output_tokens', '{token}'],
];

/**
 * Names of the conventions that the published package does not have: it was frozen when they moved to a repository of
 * their own, which renamed what is named here since.
 */
const NEWER: Readonly<Record<string, string>> = {
  'gen_ai.request.reasoning.level': 'new: how hard the model is asked to think',
  'gen_ai.usage.cache_write.input_tokens': 'was gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.token.modality': 'new: beside the token counters',
  'gen_ai.invoke_agent.duration': 'new: a metric of agents',
  'gen_ai.execute_tool.duration': 'new: a metric of tools',
  'gen_ai.client.inference.duration': 'was gen_ai.client.operation.duration',
  'gen_ai.client.inference.time_to_first_chunk': 'was gen_ai.client.operation.time_to_first_chunk',
  'gen_ai.client.inference.operation.input_tokens': 'was gen_ai.client.token.usage, by gen_ai.token.type',
  'gen_ai.client.inference.operation.output_tokens': 'was gen_ai.client.token.usage, by gen_ai.token.type',
  'gen_ai.client.inference.usage.input_tokens': 'new: a counter',
  'gen_ai.client.inference.usage.output_tokens': 'new: a counter',
  'gen_ai.client.inference.usage.cache_read.input_tokens': 'new: a counter',
  'gen_ai.client.inference.usage.cache_write.input_tokens': 'new: a counter',
  'gen_ai.client.inference.usage.reasoning.output_tokens': 'new: a counter',
};

it('every name that is not ours is in the published package, or is listed with what it was', () => {
  const published = new Set<unknown>(Object.values(conventions));
  const used = [...Object.values(ATTRIBUTE), ...Object.values(METRIC).map(([name]) => name)];
  const theirs = used.filter((name) => !isOurs(name));
  expect(theirs.filter((name) => !published.has(name)).toSorted()).toEqual(Object.keys(NEWER).toSorted());
  // What was renamed is there under its old name.
  for (const [, before] of Object.values(NEWER).flatMap((words) => [/^was ([\w.]+)/.exec(words) ?? []]))
    if (before !== undefined) expect(published).toContain(before);
});

const isOurs = (name: string) => name.startsWith('turnwright.');

it('attributes are those of the conventions, or of Turnwright', () => {
  expect(CONVENTIONS).toBe('024a4f944a1291fcb627c9c47da69e79868dd15e');
  const names = Object.values(ATTRIBUTE);
  expect(names.filter((name) => !isOurs(name)).toSorted()).toEqual(CONVENTIONAL.toSorted());
  expect(new Set(names).size).toBe(names.length);
});

it('operations and metrics are those of the conventions, with their units', () => {
  expect(Object.values(OPERATION).toSorted()).toEqual(['chat', 'execute_tool', 'invoke_agent']);
  expect(Object.values(SPAN).filter((name) => !isOurs(name))).toEqual([]);
  const metrics = Object.values(METRIC).filter(([name]) => !isOurs(name));
  expect(metrics.map(([name, unit]) => [name, unit])).toEqual(CONVENTIONAL_METRICS);
});

it('what Claude Code documents has its names', () => {
  expect(Object.values(CLAUDE_CODE_METRIC).map(([name, unit]) => [name, unit])).toEqual([
    ['claude_code.session.count', 'count'],
    ['claude_code.lines_of_code.count', 'count'],
    ['claude_code.commit.count', 'count'],
    ['claude_code.pull_request.count', 'count'],
    ['claude_code.cost.usage', 'USD'],
    ['claude_code.token.usage', 'tokens'],
    ['claude_code.code_edit_tool.decision', 'count'],
    ['claude_code.active_time.total', 's'],
  ]);
  expect(Object.values(CLAUDE_CODE_EVENT)).toEqual([
    'user_prompt',
    'api_request',
    'api_error',
    'tool_result',
    'tool_decision',
  ]);
});
