/** A collector of OpenTelemetry on loopback: it parses what is sent as OTLP over HTTP, with JSON bodies. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

export type Attributes = Readonly<Record<string, unknown>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly status: number;
  readonly resource: Attributes;
}

export interface CollectedPoint {
  readonly metric: string;
  readonly unit: string;
  /** The sum of a counter or a histogram. */
  readonly sum: number;
  /** Of a histogram. */
  readonly count: number | undefined;
  readonly attributes: Attributes;
}

export interface CollectedEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly points: readonly CollectedPoint[];
  readonly events: readonly CollectedEvent[];
  /** Every request, also those that were not answered. */
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }[];
}

interface CollectorOptions {
  /** In place of status 200; it may leave the request without an answer. */
  readonly answer?: (response: ServerResponse) => void;
}

export async function startCollector({ answer }: CollectorOptions = {}): Promise<Collector> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const events: CollectedEvent[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (answer !== undefined) return answer(response);
    if (request.headers['content-type'] === 'application/json') {
      const json = JSON.parse(body.toString('utf8')) as Json;
      spans.push(...spansIn(json));
      points.push(...pointsIn(json));
      events.push(...eventsIn(json));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, points, events, requests };
}

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire.
type Json = any;

function spansIn({ resourceSpans = [] }: Json): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        name: span.name,
        kind: span.kind,
        attributes: readAttributes(span.attributes),
        status: span.status?.code ?? 0,
        resource: readAttributes(resource?.attributes),
      })),
    ),
  );
}

function pointsIn({ resourceMetrics = [] }: Json): CollectedPoint[] {
  return resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.flatMap(({ name, unit, sum, histogram }: Json) =>
        (sum ?? histogram).dataPoints.map((point: Json) => ({
          metric: name,
          unit,
          sum: point.sum ?? point.asDouble ?? Number(point.asInt),
          count: point.count === undefined ? undefined : Number(point.count),
          attributes: readAttributes(point.attributes),
        })),
      ),
    ),
  );
}

function eventsIn({ resourceLogs = [] }: Json): CollectedEvent[] {
  return resourceLogs.flatMap(({ scopeLogs }: Json) =>
    scopeLogs.flatMap(({ logRecords }: Json) =>
      logRecords.map((record: Json) => ({
        name: record.eventName ?? record.body?.stringValue,
        attributes: readAttributes(record.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: Json = []): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }: Json) => [key, readValue(value)]));
}

function readValue(value: Json): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

/** Names of spans below a parent, as a tree in the order of their ends. */
export type SpanTree = readonly (string | readonly [string, SpanTree])[];

export function treeBelow(parent: string | undefined, spans: readonly CollectedSpan[]): SpanTree {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map(({ name, spanId }) => {
      const below = treeBelow(spanId, spans);
      return below.length === 0 ? name : [name, below];
    });
}
