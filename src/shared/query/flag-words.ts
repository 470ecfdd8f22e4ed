/** Words of `is:` and `has:` with their meanings. */
import { FLAGS, type FlagName } from './flags.ts'
import { EVERYTHING, type Query } from './query.ts'

/** Words that abbreviate another query. */
const SHORT_WORDS = {
  'is:any': { doc: 'every delivery, those of flow runs too', means: EVERYTHING },
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
  Record<`${'is' | 'has'}:${string}`, { readonly doc: string; readonly means: Query }>
>

/** Other spellings of flags. */
const ALIASES: Readonly<Record<string, FlagName | undefined>> = {
  'is:missing': 'is:missing-timestamp',
}

export function flagWords(
  field: 'is' | 'has',
): readonly { readonly word: string; readonly doc: string }[] {
  const start = `${field}:`
  return [...Object.entries(FLAGS), ...Object.entries(SHORT_WORDS)]
    .filter(([name]) => name.startsWith(start))
    .map(([name, { doc }]) => ({ word: name.slice(start.length), doc }))
}

export function flagQuery(field: 'is' | 'has', word: string): Query | null {
  const written = `${field}:${word.toLowerCase()}`
  const name = ALIASES[written] ?? written
  if (Object.hasOwn(FLAGS, name)) return { kind: 'flag', flag: name as FlagName }
  return Object.hasOwn(SHORT_WORDS, name)
    ? SHORT_WORDS[name as keyof typeof SHORT_WORDS].means
    : null
}
