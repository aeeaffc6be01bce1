import { readFileSync } from 'node:fs';
import { systemClock } from '@turnwright/base/clock.ts';
import { chunk, exception, frame } from '@turnwright/test/model/wires/aws-frames.ts';
import { startBedrockServer } from '@turnwright/test/model/wires/bedrock-server.ts';
import { AWS_ENV, cloud, cloudClient, KEYS } from '@turnwright/test/model/wires/cloud-clients.ts';
import { callModel, requestFor } from '@turnwright/testing/checks/model/opened-model.ts';
import { describe, expect, it } from 'vitest';
import { createAwsEventReader } from '../../src/model/cloud/aws-event-stream.ts';
import { bedrockModel, vertexModel, vertexRegionVariables } from '../../src/model/cloud/model-ids.ts';

const PING = { type: 'ping' };
const real = { clock: systemClock, random: () => 0 };

describe('the framing of AWS event streams', () => {
  const read = (bytes: Buffer, size = bytes.length) => {
    const reader = createAwsEventReader();
    const events: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size)
      events.push(...(reader.push(bytes.subarray(at, at + size)) ?? []).map((data) => JSON.parse(data)));
    return events;
  };

  it.each([1, 7, 64, 10_000])('gives the events of frames that arrive in pieces of %i bytes', (size) => {
    const events = [PING, { type: 'content_block_delta', text: 'Grüße 👋\u2028' }, PING];
    expect(read(Buffer.concat(events.map(chunk)), size)).toEqual(events);
  });

  it('passes over events and messages that it does not know', () => {
    const unknown = frame({ ':message-type': 'event', ':event-type': 'initial-response' }, '{}');
    const other = frame({ ':message-type': 'audio' }, 'bytes');
    expect(read(Buffer.concat([unknown, other, chunk(PING)]))).toEqual([PING]);
  });

  it('reads an exception as the error that the Messages API has for it', () => {
    const errors = [
      ['throttlingException', 'rate_limit_error'],
      ['serviceUnavailableException', 'overloaded_error'],
      ['modelTimeoutException', 'timeout_error'],
      ['validationException', 'invalid_request_error'],
      ['modelStreamErrorException', 'api_error'],
      ['internalServerException', 'api_error'],
    ] as const;
    for (const [name, type] of errors)
      expect(read(exception(name, 'Sorry.'))).toEqual([
        { type: 'error', error: { type, message: 'Sorry.' } },
      ]);
  });

  it('reads an error without a model', () => {
    const bytes = frame(
      { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'Broken.' },
      '',
    );
    expect(read(bytes)).toEqual([{ type: 'error', error: { type: 'api_error', message: 'Broken.' } }]);
  });

  it.each([
    ['length', 3],
    ['checksum of the lengths', 9],
    ['header', 20],
    ['payload', 80],
    ['checksum', -1],
  ])('ends with an error at a frame with a wrong %s, and gives nothing behind it', (_, at) => {
    const bytes = Buffer.concat([chunk(PING), chunk(PING), chunk(PING)]);
    const one = chunk(PING).length;
    const place = at < 0 ? 2 * one + at : one + at;
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    expect(read(bytes)).toEqual([
      PING,
      { type: 'error', error: { type: 'api_error', message: 'A frame of the stream is damaged.' } },
    ]);
  });

  it('reads the recorded frames of the documentation, whose checksums another encoder made', () => {
    const recorded = JSON.parse(
      readFileSync(new URL('../../../../test/model/fixtures/aws-event-stream.json', import.meta.url), 'utf8'),
    ) as { readonly base64: string; readonly events: readonly unknown[] };
    expect(read(Buffer.from(recorded.base64, 'base64'))).toEqual(recorded.events);
  });
});

describe('names of models', () => {
  it.each([
    ['claude-opus-5-5', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
    ['claude-opus-5-5', 'eu-central-1', 'eu.anthropic.claude-opus-5-5'],
    ['claude-sonnet-5-5', 'ap-northeast-1', 'jp.anthropic.claude-sonnet-5-5'],
    ['claude-sonnet-5-5', 'ap-southeast-2', 'au.anthropic.claude-sonnet-5-5'],
    ['claude-sonnet-5-5', 'sa-east-1', 'global.anthropic.claude-sonnet-5-5'],
    ['claude-sonnet-4', 'ap-south-1', 'apac.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['claude-opus-4-1-20250805', 'us-west-2', 'us.anthropic.claude-opus-4-1-20250805-v1:0'],
    ['claude-opus-4-6', 'us-west-2', 'us.anthropic.claude-opus-4-6-v1'],
    ['claude-haiku-4-5', 'us-gov-west-1', 'us-gov.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['global.anthropic.claude-sonnet-5-5', 'us-east-1', 'global.anthropic.claude-sonnet-5-5'],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'us-east-1', 'anthropic.claude-3-haiku-20240307-v1:0'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-5',
      'us-east-1',
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-5',
    ],
  ])('%s in %s is %s at Bedrock', (model, region, id) => {
    expect(bedrockModel(model, region)).toBe(id);
  });

  it.each([
    ['claude-opus-5-5', 'claude-opus-5-5'],
    ['claude-opus-4-1', 'claude-opus-4-1@20250805'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5@20251001'],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4@20250514'],
  ])('%s is %s at Vertex AI', (model, id) => {
    expect(vertexModel(model)).toBe(id);
  });

  it('a region of one model may be named in either order', () => {
    expect(vertexRegionVariables('claude-opus-4-1@20250805')).toEqual([
      'VERTEX_REGION_CLAUDE_4_1_OPUS',
      'VERTEX_REGION_CLAUDE_OPUS_4_1',
    ]);
    expect(vertexRegionVariables('claude-sonnet-4')).toEqual([
      'VERTEX_REGION_CLAUDE_4_0_SONNET',
      'VERTEX_REGION_CLAUDE_SONNET_4',
    ]);
    expect(vertexRegionVariables('my-model')).toEqual([]);
  });
});

describe('obtaining credentials', () => {
  const hanging = () => {
    const commands = { awsCredentialExport: 'log-in' };
    return cloud(
      'bedrock',
      { AWS_REGION: 'us-west-2' },
      { commands, runCommand: () => new Promise(() => {}) },
    );
  };

  it('ends at once on abort', async () => {
    const client = cloudClient(hanging(), real);
    const controller = new AbortController();
    const { outcome } = await callModel(
      client,
      requestFor('claude-sonnet-5'),
      { signal: controller.signal },
      () => controller.abort(),
    );
    expect(outcome).toMatchObject({ kind: 'aborted' });
    await client.close();
  });

  it('runs one command for requests that need it together', async () => {
    const server = await startBedrockServer({ keys: KEYS, region: 'us-west-2' });
    server.answerWith({ kind: 'message' }, { kind: 'message' }, { kind: 'message' });
    let runs = 0;
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = KEYS;
    const access = cloud(
      'bedrock',
      { AWS_REGION: 'us-west-2', ANTHROPIC_BEDROCK_BASE_URL: server.url },
      {
        commands: { awsCredentialExport: 'print' },
        async runCommand() {
          runs++;
          return JSON.stringify({ AccessKeyId, SecretAccessKey, SessionToken });
        },
      },
    );
    const client = cloudClient(access, real);
    const call = () => callModel(client, requestFor('claude-sonnet-5'));
    const ran = await Promise.all([call(), call(), call()]);
    expect(ran.map(({ outcome }) => outcome.kind)).toEqual(['complete', 'complete', 'complete']);
    expect(runs).toBe(1);
    await client.close();
    await server.close();
  });
});

describe('what Bedrock does not know', () => {
  it('is not sent; betas stand in the body, and a model in another region goes there', async () => {
    const server = await startBedrockServer({ keys: KEYS, region: 'eu-west-1' });
    server.answerWith({ kind: 'message' });
    const access = cloud(
      'bedrock',
      {
        ...AWS_ENV,
        ANTHROPIC_BEDROCK_BASE_URL: server.url,
        ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: 'eu-west-1',
      },
      { headers: { 'anthropic-beta': 'my-beta-1', 'x-team': 'blue' } },
    );
    const client = cloudClient(access, real);
    expect(client.infoOf('claude-opus-5-5').supportsFastMode).toBe(false);
    const { outcome } = await callModel(
      client,
      requestFor('claude-haiku-4-5', {
        contextManagement: { edits: [] },
        taskBudget: { total: 1000 },
        serverTools: [{ type: 'web_search_20250305', name: 'web_search' }],
        speed: 'fast',
      }),
    );
    expect(outcome).toMatchObject({ kind: 'complete' });
    const [request] = server.requests;
    expect(request?.json['anthropic_beta']).toEqual(['my-beta-1']);
    expect(request?.headers).toMatchObject({ 'x-team': 'blue', 'user-agent': 'turnwright/test' });
    expect(server.received[0]?.model).toBe('eu.anthropic.claude-haiku-4-5-20251001-v1:0');
    await client.close();
    await server.close();
  });
});
