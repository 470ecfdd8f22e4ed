/** Cases with unusual requests, which an endpoint must survive. */
import { defineCases } from './case-definition.ts'

const LARGE_BYTES = 1048576

const survivalWhy =
  'A request that crashes or blocks your process also loses the deliveries after it. After a 500 the service tries twice more.'

export const robustnessCases = defineCases(
  { group: 'robustness', section: '4.4', expectedResponse: 'answer' },
  [
    {
      name: 'headers',
      title: 'Headers in another case and order',
      severity: 'major',
      sends:
        'Valid deliveries with header names in capitals, in another order, among unknown headers, and with `charset=utf-8`.',
      why: 'Header names are case-insensitive, and any proxy may change their case and order or add its own.',
      fix: 'Look up headers case-insensitively. Compare the media type without its parameters.',
      expectedResponse: 'accept',
      requests: ({ signed }) => [
        signed('headers 1', {
          label: 'capitals, other order',
          headers: (valid) =>
            valid.toReversed().map(([name, value]) => [name.toUpperCase(), value]),
        }),
        signed('headers 2', {
          label: 'more headers, charset',
          headers: (valid) => [
            ['Via', '1.1 proxy'],
            ['X-Forwarded-For', '192.0.2.10'],
            ...valid.map(([name, value]): [string, string] => [
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
      title: 'Not JSON, correctly signed',
      severity: 'minor',
      sends:
        "Correctly signed deliveries with a truncated object, `null`, and bytes that aren't JSON as their bodies.",
      why: survivalWhy,
      fix: "Catch the parser's error and return 400. Check that the parsed value is an object before you read its fields.",
      requests: ({ request }) =>
        ['{"id":', 'null', '\u0000\u0001 not json'].map((body, index) =>
          request(body, { label: ['a truncated object', 'null', 'other bytes'][index] ?? '' }),
        ),
    },
    {
      name: 'empty-body',
      title: 'Empty body, correctly signed',
      severity: 'minor',
      sends: 'A correctly signed delivery without a body.',
      why: survivalWhy,
      fix: 'Treat an empty body like invalid JSON: return 400.',
      requests: ({ request }) => [request('')],
    },
    {
      name: 'large-body',
      title: '1 MiB body',
      severity: 'minor',
      sends: 'A valid delivery with a free-form field of 1 MiB.',
      why: `The spec sets no limit on the body. ${survivalWhy}`,
      fix: 'Choose a limit and return 413 above it.',
      requests: ({ baseBody, request }) => [
        request(
          baseBody('large', (payload) => ({
            ...payload,
            note: 'x'.repeat(LARGE_BYTES),
          })),
        ),
      ],
    },
    {
      name: 'other-method',
      title: 'Other methods',
      severity: 'minor',
      sends: 'A GET without a body, and a PUT signed like a delivery.',
      expected: 'any status below 500, or 501, within 20 s, then 200 for a valid delivery',
      why: `Deliveries are POST requests. Crawlers and uptime monitors send other methods. ${survivalWhy}`,
      fix: 'Return 405 for every method except POST.',
      requests: ({ request, signed }) => [
        request('', { label: 'GET', method: 'GET', headers: () => [] }),
        signed('method', { label: 'PUT', method: 'PUT' }),
      ],
    },
  ],
)
