/** The words of `is:` and `has:` and their meaning, including those about the body. */
import { FLAGS, type FlagName } from './flags.ts'
import type { Query } from './query.ts'

/** Words of `has:` that are short for a question about the body. */
export const BODY_FLAGS = {
  'has:json': {
    doc: 'the body is JSON',
    means: { kind: 'json', path: [], test: { kind: 'present' } },
  },
  'has:offer': {
    doc: "the body has an offer that isn't null",
    means: {
      kind: 'all',
      of: [
        { kind: 'json', path: ['offer'], test: { kind: 'present' } },
        {
          kind: 'not',
          of: { kind: 'json', path: ['offer'], test: { kind: 'value', pattern: ['null'] } },
        },
      ],
    },
  },
} as const satisfies Readonly<
  Record<`has:${string}`, { readonly doc: string; readonly means: Query }>
>

/** The freshness value itself is an alias of its flag. */
const ALIASES: Readonly<Record<string, FlagName | undefined>> = {
  'is:missing': 'is:missing-timestamp',
}

/** A field's words with their descriptions. */
export function flagWords(
  field: 'is' | 'has',
): readonly { readonly word: string; readonly doc: string }[] {
  const start = `${field}:`
  return [...Object.entries(FLAGS), ...Object.entries(BODY_FLAGS)]
    .filter(([name]) => name.startsWith(start))
    .map(([name, { doc }]) => ({ word: name.slice(start.length), doc }))
}

/** The meaning of a word after `is:` or `has:`; null if unknown. */
export function flagMeaning(field: 'is' | 'has', word: string): Query | null {
  const written = `${field}:${word.toLowerCase()}`
  const name = ALIASES[written] ?? written
  if (Object.hasOwn(FLAGS, name)) return { kind: 'flag', flag: name as FlagName }
  return Object.hasOwn(BODY_FLAGS, name) ? BODY_FLAGS[name as keyof typeof BODY_FLAGS].means : null
}
