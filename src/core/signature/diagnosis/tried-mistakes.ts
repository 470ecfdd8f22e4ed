import { bodyMistakes } from './body-mistakes.ts'
import type { DiagnosisInput } from './diagnosis-input.ts'
import type { DigestReading } from './digest-readings.ts'
import { layoutMistakes } from './layout-mistakes.ts'
import type { PartMistakes, SigningMistake } from './mistake.ts'
import { passMistakes } from './pass-mistakes.ts'
import { digestSizes, type Passes } from './passes.ts'
import type { SigningMethod, TriedMistake } from './signing-method.ts'
import { secretMistakes } from './secret-mistakes.ts'
import { timestampMistakes } from './timestamp-mistakes.ts'
import { urlMistakes } from './url-mistakes.ts'

/** Mistakes by rank, then in the order given. */
export interface TriedMistakes {
  readonly singles: readonly TriedMistake[]
  pairs(): readonly TriedMistake[]
}

/** Mistakes that don't depend on the secret, by registered URL. */
export type SharedMistakes = Map<string, TriedMistakes>

/**
 * First id of mistakes that several hooks share; those of one hook's secret count from 0, so they
 * win ties.
 */
const FIRST_SHARED_ID = 1_000_000

/** Collects all mistakes whose hash has the size of a digest that was read. */
export function collectMistakes(
  input: DiagnosisInput,
  readings: readonly DigestReading[],
  shared: SharedMistakes = new Map(),
): TriedMistakes {
  const sizes = new Set(readings.map(({ digest }) => digest.length))
  const canMatch = ({ part, value }: TriedMistake) =>
    part !== 'passes' || sizes.has(digestSizes[(value as Passes).algorithm])
  let sharedMistakes = shared.get(input.url)
  if (sharedMistakes === undefined) {
    sharedMistakes = byRank(
      {
        passes: passMistakes,
        url: urlMistakes(input),
        timestamp: timestampMistakes(input),
        body: bodyMistakes(input),
        layout: { singles: layoutMistakes, pairs: () => [] },
      },
      FIRST_SHARED_ID,
      canMatch,
    )
    shared.set(input.url, sharedMistakes)
  }
  const ofSecret = byRank({ key: secretMistakes(input) }, 0, canMatch)
  const { singles, pairs } = sharedMistakes
  return {
    singles: [...ofSecret.singles, ...singles].toSorted(compareRanks),
    pairs: () => [...ofSecret.pairs(), ...pairs()].toSorted(compareRanks),
  }
}

const compareRanks = (a: TriedMistake, b: TriedMistake) => a.rank - b.rank

function byRank(
  mistakes: { readonly [Part in keyof SigningMethod]?: PartMistakes<SigningMethod[Part]> },
  firstId: number,
  canMatch: (mistake: TriedMistake) => boolean,
): TriedMistakes {
  const entries = Object.entries(mistakes) as [keyof SigningMethod, PartMistakes<unknown>][]
  let id = firstId
  const tried = (
    mistakesOf: (group: PartMistakes<unknown>) => readonly SigningMistake<unknown>[],
  ) =>
    entries
      .flatMap(([part, group]) =>
        mistakesOf(group).map((mistake): TriedMistake => ({ ...mistake, part, id: id++ })),
      )
      .filter(canMatch)
      .toSorted(compareRanks)
  let pairs: readonly TriedMistake[] | null = null
  return {
    singles: tried(({ singles }) => singles),
    pairs: () => (pairs ??= tried((group) => group.pairs())),
  }
}
