/** Keys used instead of the hook's secret: another, or the secret misread. */
import { isUtf8 } from 'node:buffer'
import type { DiagnosisInput, KnownSecret } from './diagnosis-input.ts'
import { combineLikely, describeVariants, variant, type PartMistakes } from './mistake.ts'
import { misreadKeys } from './secret-reading-mistakes.ts'
import {
  GIVEN_SECRET_LENGTHS,
  STORED_SECRET_LENGTHS,
  rewrittenSecret,
} from './secret-rewriting-mistakes.ts'
import { unsetTexts } from './unset-texts.ts'

export function secretMistakes({
  key,
  isSecretGiven = false,
  otherSecrets,
}: DiagnosisInput): PartMistakes<Buffer> {
  const right = key.export()
  const lengths = isSecretGiven ? GIVEN_SECRET_LENGTHS : STORED_SECRET_LENGTHS
  const rewritten = isUtf8(right) ? rewrittenSecret(right.toString(), lengths) : []
  return describeVariants<Buffer>({
    variants: [
      ...otherSecrets.map(({ kind, owner, key: otherKey }, index) => {
        const { rank, which } = knownSecretMistakes[kind]
        const rankShift = Math.floor(index / SECRETS_PER_RANK)
        return variant(`secret:${kind}`, rank + rankShift, which(owner), otherKey.export())
      }),
      ...[...misreadKeys(right, lengths), ...rewritten].map((misread) => ({
        ...misread,
        how: `this hook's secret ${misread.how}`,
      })),
      variant('secret:empty', 1, 'an empty secret (variable not set)', Buffer.alloc(0)),
      ...unsetTexts.map(({ text, rank }) =>
        variant('secret:unset', rank, `the string "${text}" (variable not set)`, Buffer.from(text)),
      ),
    ],
    pairsOf: (variants) =>
      combineLikely(variants, (bytes, maxRank) =>
        misreadKeys(bytes, STORED_SECRET_LENGTHS, maxRank),
      ),
    except: [right],
    identityOf: (secret) => secret.toString('latin1'),
    describe: ({ how, causes }) => ({
      what: `Signed with ${how}.`,
      fix: [...new Set(causes.map((cause) => knownSecretFixes[cause] ?? EXACT_SECRET_FIX))].join(
        ' ',
      ),
    }),
  })
}

const EXACT_SECRET_FIX = 'Use the secret exactly as returned: the bytes of its text are the key.'

/** Number of other secrets that rank alike; further ones rank lower, to leave time. */
const SECRETS_PER_RANK = 8

interface KnownSecretMistake {
  readonly rank: number
  /** Completes "Signed with …". */
  readonly which: (owner: string) => string
  readonly fix: string
}

const knownSecretMistakes: Readonly<Record<KnownSecret['kind'], KnownSecretMistake>> = {
  stored: {
    rank: 1,
    which: (owner) => `the secret stored for ${owner}`,
    fix: 'Use the stored secret, not the one you passed.',
  },
  previous: {
    rank: 1,
    which: (owner) => `a previous secret of ${owner}`,
    fix: 'Use the current secret, which was returned last.',
  },
  'other-hook': {
    rank: 1,
    which: (owner) => `the secret of ${owner}`,
    fix: 'Each hook has its own secret. Use the one returned when this hook was created.',
  },
  'other-environment': {
    rank: 1,
    which: (owner) => `the secret of ${owner}, from another environment`,
    fix: "Test and live hooks have different secrets. Use this hook's secret from this environment.",
  },
  'deleted-hook': {
    rank: 1,
    which: (owner) => `the secret of ${owner}`,
    fix: 'Use the secret of a hook that exists, or register the deleted one again.',
  },
  'api-key': {
    rank: 2,
    which: (owner) => `${owner} instead of a hook's secret`,
    fix: 'The API key authenticates calls to the service. Deliveries are signed with the secretKey returned when the hook was created.',
  },
}

/** Fixes by cause. */
const knownSecretFixes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(knownSecretMistakes).map(([kind, { fix }]) => [`secret:${kind}`, fix]),
)
