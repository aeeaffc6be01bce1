/**
 * Samples of each class of content with their size in tokens, as two public tokenizers count them (the older public
 * one of the Claude family, and o200k): the yardstick of the estimate. Nothing here is made at run time, so the
 * figures stand.
 */
import { createHash } from 'node:crypto';

export interface TokenSample {
  readonly name: string;
  readonly text: string;
  /** What the two tokenizers say. */
  readonly tokens: readonly [number, number];
  /** The estimate lies between the lower figure less this share and the higher one plus it. */
  readonly bound: number;
}

const bytes = (count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(count / 32) }, (_, i) =>
      createHash('sha256').update(`sample ${i}`).digest(),
    ),
  ).subarray(0, count);

const PROSE =
  'The harbour was quiet when the first boats came in, and the women who waited on the quay hardly spoke. ' +
  'Nobody had slept much; the storm had kept the shutters rattling until four in the morning. When the ' +
  'lighthouse keeper finally climbed down, he said that two of the beacons were out and that the tide would ' +
  'turn before noon. "Then we had better be quick," said Marguerite, and she took the lantern from its hook. ';

const GERMAN =
  'Die Straßenbahn fuhr langsam über die Brücke, während der Regen gegen die Scheiben schlug. Niemand sprach; ' +
  'nur der Schaffner murmelte etwas über die Verspätung und schüttelte den Kopf. Außerdem müsse man in ' +
  'Königsberg ohnehin umsteigen, erklärte er, und die Anschlüsse seien ungewiss. ';

const CODE = `export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\\r?\\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.length > 0) yield line;
  }
  if (rest !== '') yield rest;
}

def merge(left, right):
    result, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i]); i += 1
        else:
            result.append(right[j]); j += 1
    return result + left[i:] + right[j:]
`;

const SCHEMA = JSON.stringify(
  Object.fromEntries(
    ['file_path', 'pattern', 'offset', 'limit', 'case_sensitive', 'output_mode', 'head_limit'].map(
      (name, i) => [
        name,
        {
          type: i % 3 === 0 ? 'string' : i % 3 === 1 ? 'integer' : 'boolean',
          description: `The ${name.replace('_', ' ')} to use; absent means the default of the tool.`,
          minimum: i,
          enum: ['content', 'files_with_matches', 'count'],
          additionalProperties: false,
        },
      ],
    ),
  ),
);

const DATA = JSON.stringify(
  Array.from({ length: 60 }, (_, i) => ({
    id: 10_000 + i * 37,
    lat: 48.1 + i / 1_000,
    lon: 11.5 - i / 900,
    ok: i % 2 === 0,
    tags: ['a', 'b'],
  })),
  null,
  2,
);

const LOG = Array.from(
  { length: 60 },
  (_, i) =>
    `2026-03-${String((i % 28) + 1).padStart(2, '0')}T09:${String(i % 60).padStart(2, '0')}:17.${100 + i}Z INFO [worker-${i % 4}] GET /api/v1/items/${i * 131}?page=${i} 200 ${i * 7}ms`,
).join('\n');

const CHINESE =
  '港口在第一批船只回来的时候非常安静，等在码头上的妇女们几乎不说话。暴风雨让百叶窗一直响到凌晨四点，没有人睡好觉。' +
  '灯塔看守人终于爬下来的时候说，有两盏航标灯熄灭了，潮水会在中午之前转向。';
const JAPANESE =
  '最初の船が戻ってきたとき、港はとても静かで、岸壁で待っていた女たちはほとんど口をきかなかった。' +
  '嵐のせいで朝の四時まで雨戸が鳴り続け、誰もよく眠れなかった。';
const KOREAN =
  '첫 배들이 돌아왔을 때 항구는 조용했고 부두에서 기다리던 여자들은 거의 말을 하지 않았다. ' +
  '폭풍 때문에 새벽 네 시까지 덧문이 덜컹거려 아무도 잘 자지 못했다. ';
const RUSSIAN =
  'Гавань была тихой, когда вернулись первые лодки, и женщины, ждавшие на причале, почти не разговаривали. ' +
  'Никто толком не спал: буря до четырёх утра гремела ставнями. ';
const ARABIC = 'كان الميناء هادئا عندما عادت القوارب الأولى ولم تتحدث النساء المنتظرات على الرصيف تقريبا. ';

const BASE64 = bytes(6_000).toString('base64');
const HEX = bytes(3_000).toString('hex');
const HEX_DUMP = (bytes(1_600).toString('hex').match(/.{32}/g) ?? [])
  .map((row, i) => `${(i * 16).toString(16).padStart(8, '0')}: ${(row.match(/.{4}/g) ?? []).join(' ')}`)
  .join('\n');

const sample = (
  name: string,
  text: string,
  tokens: readonly [number, number],
  bound: number,
): TokenSample => ({ name, text, tokens, bound });

export const TOKEN_SAMPLES: readonly TokenSample[] = [
  sample('English prose', PROSE.repeat(5), [471, 451], 0.15),
  sample('German prose', GERMAN.repeat(5), [471, 346], 0.15),
  sample('code', CODE.repeat(4), [840, 768], 0.15),
  sample('a JSON schema', SCHEMA, [314, 296], 0.25),
  sample('indented JSON data', DATA, [3060, 3318], 0.15),
  sample('a log', LOG, [2393, 2331], 0.15),
  sample('Chinese', CHINESE.repeat(5), [550, 405], 0.1),
  sample('Japanese', JAPANESE.repeat(5), [455, 345], 0.1),
  sample('Korean', KOREAN.repeat(5), [496, 261], 0.1),
  sample('Russian', RUSSIAN.repeat(5), [450, 261], 0.1),
  sample('Arabic', ARABIC.repeat(5), [410, 141], 0.1),
  sample('base64', BASE64, [5665, 5476], 0.1),
  sample('hex', HEX, [3501, 3415], 0.1),
  sample('a hex dump', HEX_DUMP, [2621, 3141], 0.25),
];
