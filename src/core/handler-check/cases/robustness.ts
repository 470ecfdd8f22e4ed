/** Requests that are odd: an endpoint need not take them, but it has to live on. */
import type { CheckCase } from '../bench.ts'

const LARGE_BYTES = 1_048_576
const answers = 'any answer below 500 within 20 s, and a genuine delivery accepted afterwards'
const survives =
  'One request that ends the process, or keeps it busy, takes the deliveries after it along; an answer of 500 makes the service try twice more.'

export const robustnessCases: readonly CheckCase[] = [
  {
    name: 'headers',
    group: 'robustness',
    title: 'Headers in another case and order',
    severity: 'major',
    section: '4.4',
    sends: 'Genuine deliveries with header names in capitals, in another order, among unknown headers, and with `charset=utf-8`.',
    expected: '200 within 20 s',
    why: 'Names of headers have no case, and every proxy on the way may change their case and order and add its own.',
    fix: 'Look headers up without regard to case, and compare the media type only, not its parameters.',
    wanted: 'accept',
    requests: ({ payloads, request }) => [
      request(payloads.of(payloads.base, 'headers 1'), {
        label: 'capitals, other order',
        headers: (genuine) => genuine.toReversed().map(([name, value]) => [name.toUpperCase(), value]),
      }),
      request(payloads.of(payloads.base, 'headers 2'), {
        label: 'more headers, charset',
        headers: (genuine) => [
          ['Via', '1.1 proxy'],
          ['X-Forwarded-For', '192.0.2.10'],
          ...genuine.map(([name, value]): [string, string] => [
            name,
            name === 'content-type' ? `${value}; charset=utf-8` : value,
          ]),
          ['X-Unknown', 'yes'],
        ],
      }),
    ],
  },
  {
    name: 'not-json',
    group: 'robustness',
    title: 'A body that is not JSON, rightly signed',
    severity: 'minor',
    section: '4.4',
    sends: 'Rightly signed deliveries whose bodies are a broken object, `null`, and bytes that no JSON has.',
    expected: answers,
    why: survives,
    fix: 'Catch what the parser throws, and answer 400. Look whether the parsed value is an object before you read its fields.',
    wanted: 'answer',
    requests: ({ request }) =>
      ['{"id":', 'null', '\u0000\u0001 not json'].map((body, index) =>
        request(body, { label: ['a broken object', 'null', 'other bytes'][index] ?? '' }),
      ),
  },
  {
    name: 'empty-body',
    group: 'robustness',
    title: 'An empty body, rightly signed',
    severity: 'minor',
    section: '4.4',
    sends: 'A rightly signed delivery without a body.',
    expected: answers,
    why: survives,
    fix: 'Treat an empty body like one that is not JSON: answer 400.',
    wanted: 'answer',
    requests: ({ request }) => [request('')],
  },
  {
    name: 'large-body',
    group: 'robustness',
    title: 'A body of one mebibyte',
    severity: 'minor',
    section: '4.4',
    sends: 'A genuine delivery with a free-form field of one mebibyte.',
    expected: answers,
    why: `The interface sets no limit to a body. ${survives}`,
    fix: 'Set a limit that suits you, and answer 413 beyond it.',
    wanted: 'answer',
    requests: ({ payloads, request }) => [
      request(payloads.changed(payloads.base, (payload) => ({ ...payload, note: 'x'.repeat(LARGE_BYTES) }))),
    ],
  },
  {
    name: 'other-method',
    group: 'robustness',
    title: 'Another method',
    severity: 'minor',
    section: '4.4',
    sends: 'A GET without a body, and a PUT that is signed like a delivery.',
    expected: 'any answer below 500, or 501, within 20 s, and a genuine delivery accepted afterwards',
    why: `Deliveries are POST. Crawlers and uptime checks send other methods. ${survives}`,
    fix: 'Answer 405 to any method but POST.',
    wanted: 'answer',
    requests: ({ payloads, request }) => [
      request('', { label: 'GET', method: 'GET', headers: () => [] }),
      request(payloads.of(payloads.base, 'method'), { label: 'PUT', method: 'PUT' }),
    ],
  },
]
