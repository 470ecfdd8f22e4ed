/** Random JSON texts, and texts that are almost JSON. */
import { fc } from '@fast-check/vitest'

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)

/**
 * JSON with details that parsing would lose: duplicate keys, unusual numbers, escapes, whitespace.
 */
export const jsonText = fc.letrec<{ value: string; string: string; number: string }>((tie) => ({
  string: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      ...[
        '"\\u0041\\/\\"\\\\"',
        '"\\ud800"',
        '"\u202e\u200b"',
        '"a"',
        '"__proto__"',
        '"a b,c:{}[]"',
        '""',
      ],
    ),
  ),
  number: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.constantFrom('10.00', '1E400', '-0', '12345678901234567890', '1.0e+05', '0.10'),
  ),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('string'),
    tie('number'),
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    fc
      .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
      .map(([a, items]) => `${a}[${a}${items.map((item) => item.join('')).join(',')}]${a}`),
    fc
      .tuple(space, fc.array(fc.tuple(space, tie('string'), space, tie('value')), { maxLength: 4 }))
      .map(
        ([a, members]) =>
          `${a}{${members.map(([x, key, y, item]) => `${x}${key}${y}:${y}${item}${x}`).join(',')}${a}}`,
      ),
  ),
})).value
